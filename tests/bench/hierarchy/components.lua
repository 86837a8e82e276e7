local t = shoal.types

return {
  spin = { rate = 1 },
  radar = { x = 0, y = 0 },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

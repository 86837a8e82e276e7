local t = shoal.types

return {
  cell = { cost = 1, distance = 0, again = 0 },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

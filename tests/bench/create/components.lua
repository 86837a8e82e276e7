local t = shoal.types

return {
  position = { x = 0, y = 0 },
  velocity = { x = 0, y = 0 },
  spin = { angle = 0, rate = 0 },
  paint = { r = 0, g = 0, b = 0 },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

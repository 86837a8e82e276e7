local t = shoal.types

return {
  seeker = { x = 0, y = 0, vx = 0, vy = 0, target = t.entity },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  motion = { vx = 0, vy = 0 },
  bench = t.single { count = t.i32(100000), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  star = { x = 0, y = 0, mass = 1 },
  motion = { vx = 0, vy = 0 },
  motion_single = { vx = 0, vy = 0 },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

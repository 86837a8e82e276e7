local t = shoal.types

return {
  agent = { id = 0, hunger = 0, energy = 50, food = 0 },
  idling = { left = 0.5 },
  walking = { left = 1, vx = 20, vy = 0 },
  eating = { left = 0.75 },
  sleeping = { left = 1.25 },
  bench = t.single { count = t.i32(2000), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  thing = { x = 0, vx = 1, hp = 100 },
  burning = { rate = 2 },
  shield = { left = 5 },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

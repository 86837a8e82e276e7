local t = shoal.types

return {
  spark = { x = 0, y = 0, vx = 1, vy = 2, age = 0, life = 1 },
  bench = t.single { count = t.i32(100000), last = t.i32(99) }, -- set by tests/bench/run
}

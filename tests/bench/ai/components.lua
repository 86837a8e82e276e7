local t = shoal.types

return {
  animal = { x = 0, y = 0, hunger = 0, fear = 0, energy = 50, mode = t.enum { "idle", "eat", "flee", "rest", "hunt" } },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  creep = { speed = 22, dir = 1, wait = 0 },
  bench = t.single { count = t.i32(500), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  cell = { state = t.enum { "tree", "burning", "ash" }, fuel = 5, heat = 0, age = t.i32(0) },
  bench = t.single { count = t.i32(16384), last = t.i32(99) }, -- set by tests/bench/run
}

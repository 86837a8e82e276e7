local t = shoal.types

return {
  cell = { wall = t.bool(false), distance = t.i32(-1) },
  bench = t.single { count = t.i32(16384), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
  number = { x = t.f64(0), y = t.f64(0), out = t.f64(0) },
}

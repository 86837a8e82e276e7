local t = shoal.types

return {
  done = t.single { count = t.f64(0) },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  left = { x = t.f64(0) },
  right = { x = t.f64(0) },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

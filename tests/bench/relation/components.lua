local t = shoal.types

return {
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
  sums = t.single { weight = t.f64(0), sources = t.f64(0), all = t.f64(0), changes = t.f64(0) },
  aimed = {},
  weight = { value = 0 },
  uncounted = { value = 0 },
  counted = { value = 0 },
  likes = t.relation({}, { many = false }),
  knows = t.relation {},
}

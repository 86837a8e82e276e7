local t = shoal.types

return {
  bag = { items = t.list(t.u16, 12) },
  crafter = { id = t.i32(0), makes = t.i32(1), made = t.i32(0), failures = t.i32(0) },
  bench = t.single { count = t.i32(2000), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  crafter = { makes = t.enum { "plank", "nail", "crate", "rope" }, timer = t.i32(0), made = t.i32(0) },
  stack = {
    owner = t.entity { cascade = "destroy" },
    item = t.enum { "wood", "iron", "fibre", "plank", "nail", "crate", "rope" },
    count = t.i32(0),
  },
  workshop = t.single { failures = t.i32(0) },
  bench = t.single { count = t.i32(2000), last = t.i32(99) }, -- set by tests/bench/run
}

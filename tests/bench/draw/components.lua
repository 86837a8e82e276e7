local t = shoal.types

return {
  velocity = { x = 0, y = 0 },
  bench = t.single { what = "nothing", last = t.i32(99) }, -- set by tests/bench/run
}

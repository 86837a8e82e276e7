local t = shoal.types

return {
  unit = {},
  extra = { x = 1, y = 2 },
  other = { x = 1, y = 2 },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

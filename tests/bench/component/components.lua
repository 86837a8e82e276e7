local t = shoal.types

return {
  position = { x = 0, y = 0 },
  burning = { heat = 0, left = 0 },
  marked = { heat = 0, left = 0 },
  tenth = {},
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

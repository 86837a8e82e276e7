local t = shoal.types

return {
  status = { name = t.string, hp = t.i32(0), gold = t.i32(0) },
  note = { number = t.i32(0) },
  bench = t.single { count = t.i32(300), last = t.i32(99), one = false }, -- set by tests/bench/run
}

local t = shoal.types

return {
  card = { suit = t.enum { "hearts", "spades", "clubs", "diamonds" }, rank = t.i32(1), holder = t.i32(0) },
  round = t.single { seed = t.i32(1), said = t.string(""), wins = t.i32(0) },
  bench = t.single { count = t.i32(52), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  quest = {
    verb = t.enum { "kill", "collect", "visit" }, subject = t.string, need = t.i32(1), done = t.i32(0),
    state = t.enum { "open", "complete" }, times = t.i32(0),
  },
  caption = { text = t.string },
  hero = t.single { gold = t.i32(0), has_rope = false, has_met_king = false, title = t.string "peasant" },
  story = t.single { deed = t.i32(1) },
  bench = t.single { count = t.i32(2000), last = t.i32(99) }, -- set by tests/bench/run
}

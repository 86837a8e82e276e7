local t = shoal.types

return {
  place = { x = 0, y = 0 },
  velocity = { x = 0, y = 0 },
  size = { w = 0, h = 0 },
  health = { hp = t.i32(100), armour = t.i32(0) },
  team = { number = t.i32(0), rank = t.i32(0) },
  bench = t.single { count = t.i32(1000), last = t.i32(99), form = "" }, -- set by tests/bench/run
}

local t = shoal.types

return {
  place = { x = 0, y = 0 },
  speed = { x = 0, y = 0 },
  tint = { r = 0, g = 0, b = 0, a = 0 },
  hull = { hp = t.i32(0), max = t.i32(0), armour = t.i32(0) },
  weapon = { damage = 0, interval = 0, left = 0 },
  brain = { state = t.i32(0), wait = 0, x = 0, y = 0 },
  cargo = { kind = t.i32(0), amount = t.i32(0) },
  value = { points = t.i32(0), gold = t.i32(0) },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

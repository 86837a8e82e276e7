local t = shoal.types

return {
  creep = { leg = t.i32(1), speed = 50 },
  health = { hp = 100 },
  tower = { wait = 0, reload = 0.1, range = 130, damage = 9, shots = t.i32(0) },
  purse = t.single { gold = t.i32(0), kills = t.i32(0) },
  bench = t.single { count = t.i32(1000), last = t.i32(99) }, -- set by tests/bench/run
}

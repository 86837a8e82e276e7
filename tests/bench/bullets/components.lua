local t = shoal.types

return {
  motion = { vx = 0, vy = 0 },
  health = { hp = t.i32(0) },
  gun = { turn = t.i32(0) },
  bench = t.single { -- set by tests/bench/run
    count = t.i32(17500), last = t.i32(99), form = t.enum { "each", "update" },
  },
  totals = t.single { fired = t.f64(0), hits = t.f64(0), damage = t.f64(0) },
}

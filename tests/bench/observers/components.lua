local t = shoal.types

return {
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
  lua_calls = t.single { entered = t.i32(0), left = t.i32(0), changed = t.i32(0), sum = t.f64(0) },
  motion = { vx = 1, vy = 2 },
  lua_unit = { value = 0 },
  read_unit = { value = 0 },
  lua_stone = { value = 0 },
}

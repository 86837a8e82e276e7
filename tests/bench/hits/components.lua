local t = shoal.types

return {
  unit = { hp = 100, power = 3, target = t.entity },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

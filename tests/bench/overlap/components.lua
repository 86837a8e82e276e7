local t = shoal.types

return {
  position = { x = 0, y = 0 },
  velocity = { x = 0, y = 0 },
  health = { hp = 0 },
  armour = { value = 0 },
  team = { number = 0 },
  target = { angle = 0 },
  noise = { volume = 0 },
  bench = t.single { count = t.i32(26000), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  -- set by the breed; values that no entity overrides follow its changes
  swim = { speed = 60, turn = 1 },
  heading = { angle = 0 },
  nursery = t.single { breeds = t.i32(0), wait = 0 },
}

local t = shoal.types

return {
  -- The breed sets these values. When it is redefined, they change in all entities that do not override them.
  swim = { speed = 60, turn = 1 },
  heading = { angle = 0 },
  nursery = t.single { breeds = t.i32(0), wait = 0 },
}

local t = shoal.types

return {
  -- Each breed (systems/breed.lua) sets these values. When the breed is redefined, they change in all of its entities
  -- that do not override them.
  swim = { speed = 60, turn = 1 },
  heading = { angle = 0 },
  nursery = t.single { breeds = t.i32(0), wait = 0 },
}

local t = shoal.types

return {
  -- Each breed (systems/breed.lua) sets these values. Redefining a breed changes the values of all its entities, except
  -- values that an entity overrides.
  swim = { speed = 60, turn = 1 },
  heading = { angle = 0 },
  nursery = t.single { breeds = t.i32(0), wait = 0 },
}

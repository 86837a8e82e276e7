local t = shoal.types

return {
  swim = { speed = 60, turn = 1 },                 -- of the breed: what nobody overrides follows
  heading = { angle = 0 },
  nursery = t.single { breeds = t.i32(0), wait = 0 },
}

local t = shoal.types

return {
  town = { number = t.u8(1) },
  trader = { goal = t.u8(1), speed = 90 },
}

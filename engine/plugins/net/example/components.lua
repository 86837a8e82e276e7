local t = shoal.types

return {
  comet = { phase = 0 },
  echo = {},
  status = {},
  received = t.single { x = 480, y = 250, count = t.i32(0) },
}

local t = shoal.types

return {
  traveller = { speed = 210 },
  coin = {},
  purse = t.single { coins = t.i32(0), scene = "shore" },
}

local t = shoal.types

return {
  hero = { speed = 96, air = 0, home_x = 0, home_y = 0,
    doc = "air: seconds since it stood; home: where it begins anew" },
  creep = { speed = 22, doc = "goes to and fro, and turns at walls and before chasms" },
  treasure = {},
  goal = {},
  purse = t.single { coins = 0, of = 0, played = -1000, won = false, doc = "played: the tick of the last key" },
}

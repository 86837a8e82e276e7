return {
  kinds = {
    wheat = { thirst = 0.2, need = 30, season = "summer", price = 3 },
    corn = { thirst = 0.3, need = 40, season = "summer", price = 5 },
    beet = { thirst = 0.15, need = 50, season = "autumn", price = 6 },
    pumpkin = { thirst = 0.25, need = 80, season = "autumn", price = 11 },
  },
  next_stage = { seed = "sprout", sprout = "leafy", leafy = "ripe" },
  seasons = { "spring", "summer", "autumn", "winter" },
  evaporation = { spring = 0.004, summer = 0.01, autumn = 0.004, winter = 0.001 },
}

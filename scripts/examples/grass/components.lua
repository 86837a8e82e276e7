return {
  sheep = { to_x = 0, to_y = 0, wait = 0 },
  hand = {},
}

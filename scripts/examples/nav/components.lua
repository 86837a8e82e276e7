return {
  goal = {},
  walker = { speed = 90, vx = 0, vy = 0 },
  gate = { wait = 2, shut = shoal.types.bool(false) },
  house = {},
}

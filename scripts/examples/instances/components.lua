local t = shoal.types

return {
  nozzle = t.many { angle = 0, power = 400, wait = 0, r = 0.3, g = 0.7, b = 1 },
  fountain = { number = t.i32(1) },
  drop = { vx = 0, vy = 0 },
}

local t = shoal.types

return {
  comet = { angle = 0 },                 -- where on its way it is
  ball = { vx = 120, vy = 0 },           -- pixels a second
  show = t.single { wait = 0.4, at = 0 }, -- seconds until the next firework, and how many there were
}

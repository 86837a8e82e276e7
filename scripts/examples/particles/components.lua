local t = shoal.types

return {
  comet = { angle = 0 },                 -- angle: position on the orbit
  ball = { vx = 120, vy = 0 },           -- velocity in pixels per second
  show = t.single { wait = 0.4, at = 0 }, -- wait: seconds until the next firework; at: number of fireworks so far
}

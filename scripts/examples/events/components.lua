local t = shoal.types

return {
  spark = { vx = 0, vy = 0, life = 1 },
  rocket = { vy = -400, fuse = 1, r = 1, g = 1, b = 1 },
  sky = t.single { glow = 0, r = 0, g = 0, b = 0, wait = 0, bursts = t.i32(0) },
}

local t = shoal.types
return {
  motion = { vx = 1, vy = 0 },
  health = { hp = t.i32(100) },
  target = { entity = t.entity },
  label = { text = t.string "plain" },
  mood = { state = t.enum { "calm", "angry" } },
  frozen = {},
  burning = { heat = 1 },
  gun = t.many { cooldown = 0.25, heat = 0 },
  nozzle = t.many { colour = t.vec3(1, 2, 3) },
  memory = t.single { text = "" },
}

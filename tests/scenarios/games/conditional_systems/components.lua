local t = shoal.types
return {
  gun = t.many { heat = 0, shots = t.i32(0) },
  mood = { fear = 1, name = "calm" },
  watch = { left = 0.3 },
  scene = t.single { phase = t.enum { "day", "night" }, heard = t.i32(0), steps = t.i32(0), alarms = t.i32(0) },
}

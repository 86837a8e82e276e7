local t = shoal.types
return {
  place = { x = 0, y = 0 },
  look = { size = 1, name = t.string "", mood = t.enum { "calm", "angry" } },
  gun = t.many { heat = 0, cooldown = 1 },
  shield = { power = 3 },
  marker = {},
  tally = t.single { heard = t.i32(0), defined = t.i32(0) },
}

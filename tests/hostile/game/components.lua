local types = shoal.types
return {
  health = { hp = types.i32(1), armour = types.u8(0) },
  gun = types.many { heat = 0 },
  label = { text = types.string "" },
  aim = { at = types.entity },
  mood = { now = types.enum { "calm", "angry" } },
  frozen = {},
  score = types.single { points = 0 },
}

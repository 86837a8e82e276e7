local t = shoal.types

return {
  master = t.f32(1, { min = 0, max = 1 }),
  music = t.f32(0.7, { min = 0, max = 1 }),
  effects = t.f32(0.9, { min = 0, max = 1 }),
  skill = t.i32(2, { min = 1, max = 3, doc = "of the machine" }),
  best = t.i32(0, { doc = "the longest rally of a person" }),
}

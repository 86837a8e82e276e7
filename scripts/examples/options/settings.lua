local t = shoal.types

return {
  music = t.f32(0.8, { min = 0, max = 1 }),
  effects = t.f32(1, { min = 0, max = 1 }),
  fullscreen = false,
  size = t.f32(26, { min = 12, max = 60 }),
  trail = true,
  colour = t.enum { "amber", "mint", "azure" },
}

-- Player settings, kept between runs.
local t = shoal.types

return {
  best_time = t.f32(0),
  -- bus volumes
  master = t.f32(1, { min = 0, max = 1 }), music = t.f32(0.8, { min = 0, max = 1 }),
  effects = t.f32(0.9, { min = 0, max = 1 }),
  fullscreen = false, vsync = true, scale = t.enum { "expand", "fit", "integer", "stretch" }, -- window settings
}

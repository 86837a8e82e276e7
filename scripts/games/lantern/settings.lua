-- What belongs to the player, and lasts from run to run.
local t = shoal.types

return {
  best_time = t.f32(0),
  music = t.f32(0.8, { min = 0, max = 1 }), effects = t.f32(0.9, { min = 0, max = 1 }), -- volumes of buses
  fullscreen = false, vsync = true, scale = t.enum { "integer", "fit", "stretch" }, -- of the window
}

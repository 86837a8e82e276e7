-- Player settings: volumes, the skill of the AI, the longest rally, the window.
local t = shoal.types
return {
  master = t.f32(1, { min = 0, max = 1 }), music = t.f32(0.7, { min = 0, max = 1 }),
  effects = t.f32(0.9, { min = 0, max = 1 }),
  opponent = t.enum { "normal", "hard", "easy" }, best = t.i32(0), -- best: longest rally of a human player
  fullscreen = false, vsync = true, scale = t.enum { "expand", "fit", "integer", "stretch" }, -- window settings
}

-- Player settings: volumes, the skill of the rivals, the best score, the window.
local t = shoal.types
local function volume(value) return t.f32(value, { min = 0, max = 1 }) end
return { master = volume(1), music = volume(0.7), effects = volume(0.9), rivals = t.enum { "normal", "hard", "easy" },
  best = t.i32(0), fullscreen = false, vsync = true, scale = t.enum { "expand", "fit", "integer", "stretch" } }

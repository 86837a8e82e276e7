-- Player settings: volumes, the strength of monsters, the best score, the window.
local t = shoal.types
local function create_volume(default) return t.f32(default, { min = 0, max = 1 }) end
return { master = create_volume(1), music = create_volume(0.7), effects = create_volume(0.9), best = t.i32(0),
  vsync = true,
  fullscreen = false, monsters = t.enum { "normal", "hard", "easy" },
  scale = t.enum { "expand", "fit", "integer", "stretch" } }

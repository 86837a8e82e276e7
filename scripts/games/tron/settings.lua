-- Player settings: volumes, the best score, the AI's difficulty, split screen, the window.
local t = shoal.types
local function create_volume(default) return t.f32(default, { min = 0, max = 1 }) end
return { master = create_volume(1), music = create_volume(0.7), effects = create_volume(0.9),
  engines = create_volume(0.7), best = t.i32(0),
  rivals = t.enum { "normal", "hard", "easy" }, two_players = t.enum { "shared", "split" }, fullscreen = false,
  vsync = true, scale = t.enum { "expand", "fit", "integer", "stretch" } }

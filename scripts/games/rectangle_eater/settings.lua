-- Player settings: volumes, the hunger of the eaters, the best score, the window.
local t = shoal.types
local function create_volume(value) return t.f32(value, { min = 0, max = 1 }) end
return { master = create_volume(1), music = create_volume(0.7), effects = create_volume(0.9),
  hunger = t.enum { "normal", "strong", "mild" },
  best = t.i32(0), fullscreen = false, vsync = true, scale = t.enum { "expand", "fit", "integer", "stretch" } }

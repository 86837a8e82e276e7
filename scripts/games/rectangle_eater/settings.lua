local t = shoal.types
local function volume(value) return t.f32(value, { min = 0, max = 1 }) end
return { master = volume(1), music = volume(0.7), effects = volume(0.9), hunger = t.enum { "normal", "strong", "mild" },
  best = t.i32(0), fullscreen = false, vsync = true, scale = t.enum { "fit", "integer", "stretch" } }

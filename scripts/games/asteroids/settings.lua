-- Player settings: volumes, the best score, the window.
local t = shoal.types
local function create_volume() return t.f32(1, { min = 0, max = 1 }) end

return { master = create_volume(), music = create_volume(), effects = create_volume(), best = t.i32(0),
  fullscreen = false, vsync = true, scale = t.enum { "fit", "integer", "stretch" } }

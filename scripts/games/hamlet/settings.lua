-- Player settings, kept between runs.
local t = shoal.types
local function volume(value) return t.f32(value, { min = 0, max = 1 }) end

return {
  master = volume(1), music = volume(0.8), effects = volume(0.9), -- bus volumes
  fullscreen = false, vsync = true, scale = t.enum { "expand", "fit", "integer", "stretch" }, -- window settings
}

-- Player settings: volumes, the best score, the window.
local t = shoal.types
return {
  master = t.f32(1, { min = 0, max = 1 }), music = t.f32(0.7, { min = 0, max = 1 }),
  effects = t.f32(0.9, { min = 0, max = 1 }), best = t.i32(0), fullscreen = false, vsync = true,
  scale = t.enum { "expand", "fit", "integer", "stretch" },
}

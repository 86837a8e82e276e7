-- Four passes over the finished picture, run in this order. A pass has a singleton of the same name with its uniforms:
-- world.single.water.height.
local t = shoal.types

return {
  { name = "water", uniforms = {
    height = t.f32(0.62, { min = 0.3, max = 1, doc = "where the water begins, from the bottom" }),
    waves = t.f32(0.5, { min = 0, max = 1 }),
    tint = { 0.35, 0.6, 0.8, 1 },
  } },
  { name = "grade", uniforms = {
    saturation = t.f32(1.15, { min = 0, max = 2 }),
    contrast = t.f32(1.05, { min = 0.5, max = 1.5 }),
    warmth = t.f32(0.1, { min = -1, max = 1 }),
  } },
  { name = "pixels", enabled = false, uniforms = { edge = t.f32(6, { min = 2, max = 24 }) } },
  { name = "tube", uniforms = {
    lines = t.f32(0.35, { min = 0, max = 1 }),
    bend = t.f32(0.12, { min = 0, max = 0.4 }),
    fringe = t.f32(0.3, { min = 0, max = 1 }),
  } },
}

local t = shoal.types
local fields = {
  i = t.i32(5, { min = 0, max = 100 }), u = t.u8(7, { max = 50 }), f = t.f32(0.5, { min = 0.1, max = 0.9 }),
  d = t.f64(1, { min = -2 }), v = t.vec2(0, 0, { min = -1, max = 1 }),
}
return {
  stat = fields, slot = t.many(fields), gauge = t.single(fields),
  source = { n = 0, m = 0 }, -- random numbers, also out of range, NaN and infinite, for loops over columns
}

local t = shoal.types
local NAN = { nan = true } -- the reference evaluator stores NaN
local function results()
  return { f1 = t.f32(0, NAN), f2 = t.f32(0, NAN), f3 = t.f32(0, NAN), d1 = t.f64(0, NAN), d2 = t.f64(0, NAN),
    l1 = t.i32(0), s1 = t.i16(0), u1 = t.u8(0),
    t1 = t.i8(0), h1 = t.u16(0), b1 = false, b2 = false }
end

return {
  given = { x = t.f32(0, NAN), y = t.f32(0, NAN), z = t.f32(0, NAN),
    d = t.f64(0, NAN), e = t.f64(0, NAN), i = t.i32(0), s = t.i16(0), u = t.u8(0), w = t.u32(0),
    p = false, q = false },
  result = results(), wanted = results(), extra = { v = t.f32(0, NAN) },
  cell = t.single { v = t.f32(0, NAN) }, some = t.single { n = 0.3 },
}

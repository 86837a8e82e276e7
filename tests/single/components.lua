local t = shoal.types
local function results()
  return { f1 = 0, f2 = 0, f3 = 0, d1 = t.f64(0), d2 = t.f64(0), l1 = t.i32(0), s1 = t.i16(0), u1 = t.u8(0),
    t1 = t.i8(0), h1 = t.u16(0), b1 = false, b2 = false }
end

return {
  given = { x = 0, y = 0, z = 0, d = t.f64(0), e = t.f64(0), i = t.i32(0), s = t.i16(0), u = t.u8(0), w = t.u32(0),
    p = false, q = false },
  result = results(), wanted = results(), extra = { v = 0 },
  cell = t.single { v = 0 }, some = t.single { n = 0.3 },
}

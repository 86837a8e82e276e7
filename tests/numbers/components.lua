local t = shoal.types

return {
  row = { at = t.u32(0) },
  given = { a = t.f64(0), b = t.f64(0), c = 0, k = t.i32(0) },
  result = { real = t.f64(0), short = 0, i32 = t.i32(0), i16 = t.i16(0), i8 = t.i8(0), u8 = t.u8(0), u16 = t.u16(0),
    u32 = t.u32(0) },
}

local t = shoal.types
return {
  a = { x = 0, y = 0, z = 0, d = t.f64(0), i = t.i32(0), at = t.vec2(0, 0) },
  b = { x = 0, s = t.i16(0), w = t.u16(0), n = t.i8(0), u = t.u8(0), on = false },
}

local t = shoal.types
return {
  whole = {
    f = 1, d = t.f64(2), b = true, i8 = t.i8(0), u8 = t.u8(1), i16 = t.i16(0), i32 = t.i32(0), u32 = t.u32(0),
    e = t.entity, s = "text",
    n = t.enum { "one", "two" }, v2 = t.vec2(1, 2), v4 = t.vec4(1, 2, 3, 4), m = t.mat4, points = "",
  },
  small = { v = 0, renamed_from = { v = "old.v" } },
  other = { v = t.i32(0), who = t.entity },
  arm = t.many { heat = 0, colour = t.vec3(1, 2, 3), points = "", m = t.mat4 },
  sum = t.single { v = 0, at = t.vec2(0, 0), m = t.mat4, points = "", who = t.entity },
  tag = {},
}

local t = shoal.types

local result = {}
for i = 1, 6 do
  result["r" .. i], result["f" .. i] = t.f64(0), 0
end
for i = 1, 3 do
  result["l" .. i], result["o" .. i], result["u" .. i], result["t" .. i], result["b" .. i] =
    t.i32(0), t.i16(0), t.u8(0), t.i8(0), false
end
result.h1, result.h2 = t.u16(0), t.u16(0)
for i = 1, 2 do
  result["w" .. i], result["e" .. i] = "", t.enum { "x", "y", "z" }
end
result.place, result.link = t.vec2(), t.entity

return {
  given = { a = t.f64(0), b = t.f64(0), c = 0, d = 0, k = t.i32(0), w = t.i32(0), s = t.i16(0), u = t.u8(0),
    v = t.u32(0), h = t.u16(0),
    flag = false, kind = t.enum { "x", "y", "z" }, word = "",
    to = t.entity },
  extra = { v = 0 },
  rare = { v = 0, d = t.f64(0), n = t.u8(0), k = t.i32(0), on = false },
  mark = { v = t.f64(0), of = t.entity },
  post = { level = 0.25, word = "x" },
  some = t.single { n = 0.5, on = true, word = "x", kind = t.enum { "x", "y", "z" } },
  tally = t.single { a = t.f64(0), f = 0, k = t.i32(0), on = false, sum = t.f64(0), least = t.f64(0), best = t.f64(0),
    who = t.entity, heard = t.f64(0) },
  result = result,
}

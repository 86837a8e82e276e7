local t = shoal.types

return { hit = { a = t.i32(0), b = t.i32(0), depth = 0 }, tap = { a = t.i32(0), b = t.i32(0), depth = 0 } }

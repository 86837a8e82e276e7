local t = shoal.types
return { heard = { n = t.f64(0) },
  said = { who = t.entity, x = t.f64(0), k = t.i32(0), on = false, kind = t.enum { "x", "y", "z" }, word = "" } }

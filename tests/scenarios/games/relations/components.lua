local t = shoal.types
return {
  folk = { age = 0, joy = t.i32(0) },
  likes = t.relation { strength = 1 },
  follows = t.relation({}, { many = false, cascade = "destroy" }),
  aims = { at = t.entity { cascade = "clear" } },
  heard = t.single { added = t.i32(0), removed = t.i32(0), written = t.i32(0), rounds = t.i32(0), sum = t.f64(0),
    pairs = t.i32(0) },
}

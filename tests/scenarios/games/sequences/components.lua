local t = shoal.types

return {
  actor = { mood = 0, calls = t.i32(0), colour = t.vec3(0, 0, 0) },
  heard = t.single { ends = t.i32(0), calls = t.i32(0), said = t.i32(0), sum = t.f64(0) },
}

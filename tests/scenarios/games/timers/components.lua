local t = shoal.types

return {
  lamp = { brightness = 0, colour = t.vec3(0, 0, 0) },
  gun = t.many { heat = 0, shots = t.i32(0) },
  heard = t.single { rings = t.i32(0), ends = t.i32(0), sum = t.f64(0) },
}

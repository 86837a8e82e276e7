return {
  pebble = { r = 0.5, g = 0.5, b = 0.5 },
  glow = { heat = 0 },
  tap = shoal.types.single { count = shoal.types.i32(0) },
  blast = shoal.types.single { x = 0, y = 0, age = 9 },
}

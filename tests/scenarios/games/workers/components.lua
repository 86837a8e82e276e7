local t = shoal.types
return {
  motion = { vx = 0, vy = 0 },
  charge = { value = 0, exact = t.f64(0), ticks = t.i32(0), bright = t.bool(false), kind = t.enum { "even", "odd" },
    near = t.entity },
  weight = { grams = 0 },
  dust = { x = 0, v = 0, energy = t.f64(0), turns = t.i32(0), far = t.bool(false) },
  spark = { heat = 1 },
  tally = t.single { sparks = t.i32(0), energy = t.f64(0) },
}

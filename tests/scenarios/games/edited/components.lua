local t = shoal.types
return {
  grave = { depth = 6, width = 3, weeds = 1 },
  motion = { vx = 1.5, spin = 0.25 },
  tally = t.single { steps = t.i32(0), stops = t.i32(0) },
}

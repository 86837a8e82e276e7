local t = shoal.types
return {
  age = { ticks = t.i32(0), limit = t.i32(5) },
  tally = t.single { deaths = t.i32(0), sum = t.f64(0), words = t.string "", heard = t.i32(0) },
}

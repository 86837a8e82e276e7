local t = shoal.types

return {
  soil = { fertility = 1, moisture = 0.5 },
  crop = {
    kind = t.enum { "wheat", "corn", "beet", "pumpkin" },
    stage = t.enum { "seed", "sprout", "leafy", "ripe", "withered" },
    progress = 0, dry_hours = t.i32(0), harvests = t.i32(0),
  },
  calendar = t.single {
    hour = t.i32(0), day = t.i32(0), season = t.enum { "spring", "summer", "autumn", "winter" }, raining = false,
  },
  purse = t.single { gold = t.i32(0) },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

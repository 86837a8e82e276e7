local t = shoal.types

return {
  villager = {
    job = t.enum { "farmer", "smith", "guard", "priest" },
    activity = t.enum { "sleep", "work", "eat", "drink" },
    home = t.entity, work = t.entity, tavern = t.entity, goal = t.entity,
    speed = 60, tired = 0, hunger = 0, arrived = false,
  },
  clock = t.single { minute = t.i32(0), hour = t.i32(0) },
  bench = t.single { count = t.i32(2000), last = t.i32(99) }, -- set by tests/bench/run
}

local t = shoal.types

return {
  mover = { x = 0, y = 0, vx = 0, vy = 0 },
  pushed = { x = 0, y = 0, vx = 0, vy = 0 },
  vital = { hp = t.i32(0), max = t.i32(0), status = t.i32(0) },
  struck = { hp = t.i32(0), attack = t.i32(0), defence = t.i32(0) },
  thinker = { x = 0, y = 0, vx = 0, vy = 0, thought = t.i32(0), noise = t.f64(0) },
  drifter = { x = 0, y = 0, vx = 0, vy = 0 },
  wrapped = { x = 0, y = 0, margin = 0 },
  spark = { alpha = 0, scale = 0, vx = 0, vy = 0, left = 0, life = 1, peak = 0, drag = 0, shrinks = false },
  turner = { angle = 0, vx = 0, vy = 0, wave = 0 },
  orbiter = { x = 0, y = 0, vx = 0, vy = 0 },
  counted = { heat = 0, limit = 0, hits = t.i32(0) },
  hunter = { x = 0, y = 0, vx = 0, vy = 0, prey = t.entity },
  bench = t.single { count = t.i32(10000), last = t.i32(99) }, -- set by tests/bench/run
}

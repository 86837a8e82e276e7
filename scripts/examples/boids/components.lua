local t = shoal.types

return {
  velocity = { x = 0, y = 0 },
  fish = { speed = 80, school = t.i32(0), cell = t.i32(0), wave = 0, room = 10, tint = { 1, 1, 1 } },
  steer = { x = 0, y = 0 }, -- acceleration from the neighbours
  -- These four columns hold the fish sorted by cell: row k is the k-th fish in cell order, rewritten every tick.
  sorted = { x = 0, y = 0, vx = 0, vy = 0 },
  cell = { first = t.i32(0), count = t.i32(0) },
  shark = { vx = 0, vy = 0 },
  ray = { phase = 0 },
}

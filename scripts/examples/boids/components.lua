local t = shoal.types

return {
  velocity = { x = 0, y = 0 },
  fish = { speed = 80, school = t.i32(0), cell = t.i32(0), wave = 0, room = 10, tint = { 1, 1, 1 } },
  steer = { x = 0, y = 0 }, -- acceleration caused by neighbours, currents, the shark and the pointer (pixels/s²)
  -- Positions and velocities sorted by cell, rewritten every tick: row k belongs to the k-th fish in cell order.
  sorted = { x = 0, y = 0, vx = 0, vy = 0 },
  cell = { first = t.i32(0), count = t.i32(0) },
  shark = { vx = 0, vy = 0 },
  ray = { phase = 0 },
}

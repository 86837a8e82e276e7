local t = shoal.types

return {
  drift = { x = 0, y = 0 },
  near = { next = t.i32(0), cell = t.i32(0) }, -- next: row of the next dot in the same cell, 0 if it is the last one
  cell = { first = t.i32(0) },
}

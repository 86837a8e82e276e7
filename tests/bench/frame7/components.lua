local t = shoal.types

return {
  position = { x = 0, y = 0 },
  velocity = { x = 0, y = 0 },
  data = {
    thingy = t.i32(0), dingy = t.f64(0), mingy = false,
    -- state of a random stream: four 32-bit words, stored as signed integers
    s0 = t.i32(0), s1 = t.i32(0), s2 = t.i32(0), s3 = t.i32(0), numgy = t.i32(0),
  },
  player = { s0 = t.i32(0), s1 = t.i32(0), s2 = t.i32(0), s3 = t.i32(0), type = t.i32(0) },
  health = { hp = t.i32(0), max = t.i32(0), status = t.i32(0) },
  damage = { attack = t.i32(0), defence = t.i32(0) },
  glyph = { character = t.u8(32) },
  cell = { character = t.u8(32) }, -- the grid: 240 rows of 320 cells, in the order of their entities
  bench = t.single { count = t.i32(65536) }, -- set by tests/bench/run
}

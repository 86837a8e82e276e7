local t = shoal.types

return {
  pilot = { player = t.i32(1), eye = t.entity, score = t.i32(0), colour = t.vec4(1, 1, 1, 1), touched = t.i32(-1000),
    doc = "touched: the tick in which its player last did something" },
  helm = { turn = 0, thrust = 0, vx = 0, vy = 0 },
  rock = { radius = 30 },
  beacon = { age = 0 },
  match = t.single { winner = "", ends = t.i32(0) },
}

local t = shoal.types

return {
  match = t.single {
    phase = t.enum { "title", "serve", "play", "point", "over" },
    players = t.i32(0), -- 0: the AI plays against itself
    left = t.i32(0), right = t.i32(0), -- goals
    rally = t.i32(0), longest = t.i32(0), is_best = false, -- rally: consecutive hits; longest: of this match
    played = t.i32(0, { doc = "finished matches" }),
    to = t.i32(1, { doc = "side that the ball is served to: -1 left, 1 right" }),
    clock = 0, stop = t.i32(0), -- clock: seconds since the phase began; stop: ticks of hit stop left
  },
  paddle = { side = t.i32(-1), speed = 0, aim = t.f32(0, { doc = "where the AI aims to hit the ball, -1 to 1" }) },
  ball = { vx = 0, vy = 0, last = t.i32(0, { doc = "side that last hit it" }) },
  digits = { side = t.i32(-1) }, ripple = {}, scenery = {},
}

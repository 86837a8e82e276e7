local t = shoal.types

return {
  match = t.single {
    phase = t.enum { "title", "serve", "play", "point", "over" },
    players = t.i32(0), -- 0: the machine plays against itself
    left = t.i32(0), right = t.i32(0), -- goals
    rally = t.i32(0), longest = t.i32(0), is_best = false, -- hits in a row, and the most of this match
    played = t.i32(0, { doc = "matches that came to their end" }),
    to = t.i32(1, { doc = "the ball goes to the left (-1) or the right" }),
    clock = 0, stop = t.i32(0), -- seconds since the phase began; ticks for which a blow holds the ball
  },
  paddle = { side = t.i32(-1), speed = 0, aim = t.f32(0, { doc = "where the machine wants to hit, -1 to 1" }) },
  ball = { vx = 0, vy = 0, last = t.i32(0, { doc = "the side that hit it last" }) },
  digits = { side = t.i32(-1) }, ripple = {}, scenery = {},
}

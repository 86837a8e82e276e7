-- Distances are in pixels, times in seconds. Side -1 is on the left, side 1 on the right.
local t = shoal.types

return {
  match = t.single {
    phase = t.enum { "title", "serve", "play", "point", "over" },
    players = t.i32(0), -- players: number of human players; 0: the AI plays against itself
    left = t.i32(0), right = t.i32(0), -- left, right: goals of each side
    -- rally: number of hits since the serve; longest: the longest rally of this match
    rally = t.i32(0), longest = t.i32(0),
    -- record: longest rally before this match; is_best: true if this match has beaten it
    record = t.i32(0), is_best = false,
    played = t.i32(0, { doc = "finished matches" }),
    to = t.i32(1, { doc = "side that the ball is served to: -1 left, 1 right" }),
    -- clock: seconds since the phase began or the menu was last used; stop: ticks left of the hit stop
    clock = 0, stop = t.i32(0),
    star_in = 0, stars = t.i32(0), -- star_in: seconds until the next star; stars: number of stars taken in this match
  },
  -- track: the tick in which the rally began, and the position and tick of the ball's last change of direction.
  track = t.single { from = t.i32(0), x = 640, y = 360, at = t.i32(0) },
  -- A straight section of the ball's path. from, to: ticks since the rally began; is_ghost: true if it belongs to the
  -- previous rally.
  leg = { x1 = 0, y1 = 0, x2 = 0, y2 = 0, from = t.i32(0), to = t.i32(0), is_ghost = false },
  -- charged: true if the next hit is a smash.
  paddle = { side = t.i32(-1), speed = 0, charged = false,
    aim = t.f32(0, { doc = "where the AI aims to hit the ball, -1 to 1" }) },
  -- pace: speed in pixels per second, except of a smash, which is faster
  ball = { vx = 0, vy = 0, pace = 0, smash = false, last = t.i32(0, { doc = "side that last hit it" }) },
  star = { vy = 70 },
  digits = { side = t.i32(-1) }, ripple = {}, scenery = {},
}

-- What the game is made of. Distances are pixels, times seconds.
local t = shoal.types
return {
  match = t.single {
    phase = t.enum { "title", "ready", "play", "lost", "over" },
    demo = false, clock = 0, -- nobody plays; seconds since the phase began
    score = t.i32(0), is_best = false, lives = t.i32(3), wave = t.i32(0), played = t.i32(0), -- games to their end
    combo = t.i32(0), times = t.i32(1), hit_at = t.i32(0), -- hits in quick succession, their worth, the last one's tick
  },
  fleet = t.single { way = t.i32(1), beat = t.i32(0), wait = 0, bomb_in = 2, saucer_in = 12 },
  invader = { row = t.i32(1), x = 0, y = 0 }, -- where it belongs; its transform hops there
  cannon = { speed = 0, reload = 0, grace = 2, triple = 0 }, -- seconds for which it cannot be hit, and fires three
  shot = {}, bomb = {}, cell = {}, saucer = {}, prop = {}, -- the last: cleared away when a game begins or ends
}

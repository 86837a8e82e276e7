-- Distances are in pixels, times in seconds.
local t = shoal.types
local powerups = require "lib.powerups"
return {
  match = t.single {
    phase = t.enum { "title", "ready", "play", "lost", "over" },
    demo = false, clock = 0, -- demo: true if the AI plays; clock: time since the phase began or the menu was last used
    record = t.i32(0), -- record: best score before this game; is_best: true if this game has beaten it
    -- played: number of finished games
    score = t.i32(0), is_best = false, lives = t.i32(3), wave = t.i32(0), played = t.i32(0),
    -- combo: number of hits in quick succession; times: score multiplier; hit_at: tick of the last hit
    combo = t.i32(0), times = t.i32(1), hit_at = t.i32(0),
  },
  -- way: 1 right, -1 left; beat: number of steps; wait, bomb_in, saucer_in: time until the next step, bomb and saucer
  fleet = t.single { way = t.i32(1), beat = t.i32(0), wait = 0, bomb_in = 2, saucer_in = 12 },
  -- x, y: position after the fleet's last step, towards which the transform moves
  invader = { row = t.i32(1), x = 0, y = 0 },
  -- kind: the component that the cannon gets when it catches the power-up; left: remaining time of that component
  powerup = { kind = t.enum(powerups.kinds) },
  triple = { left = 9 }, rapid = { left = 9 }, shield = { left = 15 },
  -- clock: time since it appeared; bombs_in: time until its next volley; volleys: number of volleys so far
  boss = { health = t.i32(30), max = t.i32(30), clock = 0, bombs_in = 1.5, volleys = t.i32(0) },
  shot = {}, bomb = {}, cell = {}, saucer = {},
}

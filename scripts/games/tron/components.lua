-- Cells of the arena are counted from 1. Speeds are in cells per second, times in seconds.
local t = shoal.types
return {
  match = t.single {
    phase = t.enum { "title", "ready", "play", "crash", "over" }, clock = 0, -- clock: time since the phase began
    players = t.i32(0), round = t.i32(0), lives = t.i32(3), -- players: 0 in the demo
    score = t.i32(0), is_best = false, winner = t.i32(0), played = t.i32(0), -- played: finished matches
    -- stop: ticks of hit stop left after a crash
    wins1 = t.i32(0), wins2 = t.i32(0), wins3 = t.i32(0), stop = t.i32(0), gem_in = 0,
  },
  cycle = {
    -- part: fraction of the way to the next cell
    side = t.i32(1), player = t.i32(0), x = t.i32(1), y = t.i32(1), part = 0,
    -- dir: 1 right, 2 down, 3 left, 4 up; turn, after: queued turns, 0 for none
    dir = t.i32(1), turn = t.i32(0), after = t.i32(0),
    -- breach: number of walls that it can break through
    wall = t.entity, speed = 0, energy = 0.4, boost = false, breach = t.i32(0),
    beside = t.i32(0), wait = t.i32(0), -- beside: adjacent wall cells; wait: cells until the AI decides again
  },
  wall = { side = t.i32(0), x1 = t.i32(1), y1 = t.i32(1), x2 = t.i32(1), y2 = t.i32(1), solid = true },
  -- prop: destroyed when a round begins
  gem = { kind = t.enum { "charge", "breach", "purge" }, x = t.i32(1), y = t.i32(1) }, prop = {},
}

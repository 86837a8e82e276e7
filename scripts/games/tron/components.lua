-- Cells of the arena are counted from 1. Speeds are in cells per second, times in seconds.
local t = shoal.types
return {
  match = t.single {
    -- clock: time since the phase began
    phase = t.enum { "title", "ready", "play", "crash", "over" }, clock = 0,
    players = t.i32(0), round = t.i32(0), lives = t.i32(3), -- players: number of players, 0 in the demo
    -- winner: side of the last cycle left, 0 for a draw; played: number of finished matches
    -- record: the best score before this match; is_best: whether this match has beaten it
    score = t.i32(0), record = t.i32(0), is_best = false, winner = t.i32(0), played = t.i32(0),
    -- stop: ticks left of the hit stop after a crash; gem_in: time until the next gem; gems: number of gems that still
    -- appear in quick succession
    wins1 = t.i32(0), wins2 = t.i32(0), wins3 = t.i32(0), stop = t.i32(0), gem_in = 0, gems = t.i32(0),
  },
  cycle = {
    -- player: 0 for the AI; part: fraction of the way to the next cell
    side = t.i32(1), player = t.i32(0), x = t.i32(1), y = t.i32(1), part = 0,
    -- dir: 1 right, 2 down, 3 left, 4 up; turn, after: the directions of the next two turns, 0 if not queued
    dir = t.i32(1), turn = t.i32(0), after = t.i32(0),
    -- wall: the wall that it extends; breach: number of walls that it can break through
    wall = t.entity, speed = 0, energy = 0.4, boost = false, breach = t.i32(0),
    -- beside: number of wall cells to its left and right; wait: number of cells until the AI decides again
    beside = t.i32(0), wait = t.i32(0),
  },
  wall = { side = t.i32(0), x1 = t.i32(1), y1 = t.i32(1), x2 = t.i32(1), y2 = t.i32(1), solid = true },
  -- prop: tag of entities that are destroyed when a round, the title screen or the game-over screen begins
  gem = { kind = t.enum { "charge", "breach", "purge" }, x = t.i32(1), y = t.i32(1) }, prop = {},
}

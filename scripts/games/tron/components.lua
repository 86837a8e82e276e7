-- What the game is made of. Cells of the arena count from 1, speeds are cells a second, times seconds.
local t = shoal.types
return {
  match = t.single {
    phase = t.enum { "title", "ready", "play", "crash", "over" }, clock = 0, -- seconds of the phase
    players = t.i32(0), round = t.i32(0), lives = t.i32(3), -- without players the machine plays against itself
    score = t.i32(0), is_best = false, winner = t.i32(0), played = t.i32(0), -- matches that came to their end
    wins1 = t.i32(0), wins2 = t.i32(0), wins3 = t.i32(0), stop = t.i32(0), gem_in = 0, -- ticks that a crash holds all
  },
  cycle = {
    side = t.i32(1), player = t.i32(0), x = t.i32(1), y = t.i32(1), part = 0, -- of the way to the next cell
    dir = t.i32(1), turn = t.i32(0), after = t.i32(0), -- 1 right, 2 down, 3 left, 4 up; turns to come, 0 for none
    wall = t.entity, speed = 0, energy = 0.4, boost = false, breach = t.i32(0), -- walls that it can break through
    beside = t.i32(0), wait = t.i32(0), -- walls right beside it; cells until the machine thinks again
  },
  wall = { side = t.i32(0), x1 = t.i32(1), y1 = t.i32(1), x2 = t.i32(1), y2 = t.i32(1), solid = true },
  gem = { kind = t.enum { "charge", "breach", "purge" }, x = t.i32(1), y = t.i32(1) }, prop = {}, -- goes with the round
}

-- Creatures that walk, jump and turn around on a map of tiles: the component mover, compared with a loop over a grid.
-- assets/land.tmj has the cells of is_wall in plain/movers.c. Uses ticks of 1/64 s and integer speeds, as in iterate.
-- Run by tests/bench/run.
return { title = "Benchmark: movers", tick_rate = 64, layers = { "hero", "slime" } }

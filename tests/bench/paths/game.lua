-- Distances to a goal in a grid of cells with costs. In every tick, the goal moves and one sweep over all cells runs.
-- Each cell reads its four neighbours; the left neighbour was written just before. A second sweep has an `if` around
-- its body instead of the limits of its loop. plain/paths.c does the same. Run by tests/bench/run.
return { title = "Benchmark: paths", tick_rate = 64 }

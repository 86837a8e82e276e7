-- Units that look around: the cost of world.near for 5,000 moving units, compared with a grid in C. Uses ticks of
-- 1/64 s and integer speeds, as in iterate. Run by tests/bench/run.
return { title = "Benchmark: near", tick_rate = 64 }

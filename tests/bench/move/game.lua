-- Moves entities with the built-in transform to measure the cost of a system in the `update` form, with ticks of 1/64 s
-- and integer speeds as in iterate. Run by tests/bench/run.
return { title = "Benchmark: move", tick_rate = 64 }

-- A fire in a grid of cells: `update` reads four neighbours by their row numbers, and `each` calls world.random.
-- plain/wildfire.c does the same. Run by tests/bench/run.
return { title = "Benchmark: wildfire" }

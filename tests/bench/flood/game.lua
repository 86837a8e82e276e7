-- Distances in a grid with walls: a loop over all rows, and a search with a queue of row numbers. plain/flood.c does
-- the same. Run by tests/bench/run.
return { title = "Benchmark: flood" }

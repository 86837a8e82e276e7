-- Adds and removes a component: in bulk, and one by one (a tenth of the entities, every fifth tick). Run by
-- tests/bench/run.
return { title = "Benchmark: add and remove", tick_rate = 64 }

-- Creates and destroys entities: in bulk, and one by one (a tenth as many, every fifth tick). Run by tests/bench/run.
return { title = "Benchmark: create and destroy", tick_rate = 64 }

-- Prepared entities of 8 components and 88 bytes, each with two fields overridden. Run by tests/bench/run.
return { title = "Benchmark: assemblage", tick_rate = 64 }

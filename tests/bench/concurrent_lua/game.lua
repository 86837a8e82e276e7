-- Two `update` systems without shared columns, each too small to be split. Run by tests/bench/run.
return { title = "Benchmark: concurrent Lua systems", tick_rate = 64 }

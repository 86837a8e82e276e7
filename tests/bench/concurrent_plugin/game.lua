-- Two plugin systems without shared columns, running concurrently. Run by tests/bench/run, which builds the plugin.
return { title = "Benchmark: concurrent plugin systems", tick_rate = 64, plugins = { "pair" } }

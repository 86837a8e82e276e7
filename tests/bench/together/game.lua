-- Two plugin systems without shared columns, running concurrently. Run by tests/bench/run, which builds the plugin.
return { title = "Benchmark: together", tick_rate = 64, plugins = { "pair" } }

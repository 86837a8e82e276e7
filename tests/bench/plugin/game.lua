-- The loop of iterate as a plugin system. Run by tests/bench/run, which builds the plugin.
return { title = "Benchmark: plugin", tick_rate = 64, plugins = { "motion" } }

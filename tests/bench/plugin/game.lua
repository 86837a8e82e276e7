-- The loop of iterate as a system of a plugin. Run by tests/bench/run, which builds it.
return { title = "Benchmark: plugin", tick_rate = 64, plugins = { "motion" } }

-- Two systems of a plugin that share no column, beside each other. Run by tests/bench/run, which builds it.
return { title = "Benchmark: together", tick_rate = 64, plugins = { "pair" } }

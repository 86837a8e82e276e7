-- Emits events for three subscribers that read one column each, and emits events one by one. Run by tests/bench/run.
return { title = "Benchmark: events", tick_rate = 64 }

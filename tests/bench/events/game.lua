-- Events to three subscribers that read one column each. Run by tests/bench/run.
return { title = "Benchmark: events", tick_rate = 64 }

-- Events to three subscribers that read one column each; and others, emitted one by one. Run by tests/bench/run.
return { title = "Benchmark: events", tick_rate = 64 }

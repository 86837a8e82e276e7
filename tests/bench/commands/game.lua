-- Adds one component to each entity and removes a different component, as queued commands. Run by tests/bench/run.
return { title = "Benchmark: commands", tick_rate = 64 }

-- Adds one component to each entity and removes another component, as queued commands. Run by tests/bench/run.
return { title = "Benchmark: commands", tick_rate = 64 }

-- For each entity one component comes and another goes, as queued commands. Run by tests/bench/run.
return { title = "Benchmark: commands", tick_rate = 64 }

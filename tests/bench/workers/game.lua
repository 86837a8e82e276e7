-- The loop of iterate in single precision alone, so that threads wait only for each other. Run by tests/bench/run.
return { title = "Benchmark: workers", tick_rate = 64 }

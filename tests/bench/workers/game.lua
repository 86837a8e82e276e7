-- Runs only the single-precision loop of `iterate`, so that threads wait only for each other. Run by tests/bench/run.
return { title = "Benchmark: workers", tick_rate = 64 }

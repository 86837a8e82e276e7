-- The loop of iterate in single precision alone, so that the threads have nothing to wait for but each other. Run by
-- tests/bench/run.
return { title = "Benchmark: workers", tick_rate = 64 }

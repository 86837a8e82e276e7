-- Particles that are destroyed when their life ends, and spawned again. Run by tests/bench/run.
return { title = "Benchmark: sparks", tick_rate = 64 }

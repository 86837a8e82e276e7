-- Particles that are destroyed when their life ends, and spawned again. All values are multiples of 1/16384 that an f32
-- represents exactly. plain/sparks.c does the same. Run by tests/bench/run.
return { title = "Benchmark: sparks", tick_rate = 64 }

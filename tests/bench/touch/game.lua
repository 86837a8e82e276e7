-- Measures the first access to `e.health.hp` of each entity; entities live for one tick. Run by tests/bench/run.
return { title = "Benchmark: first touch", tick_rate = 64 }

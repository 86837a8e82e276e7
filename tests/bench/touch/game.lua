-- The first `e.health.hp` of each entity: those of a tick are new and gone with it. Run by tests/bench/run.
return { title = "Benchmark: first touch", tick_rate = 64 }

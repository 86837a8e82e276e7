-- One field of random live entities, whose ids stand in a column; `garbage` is what a read leaves behind, in bytes. Run
-- by tests/bench/run.
return { title = "Benchmark: read", tick_rate = 64, tests = true }

-- Reads one field of random live entities whose ids are in a column; `garbage` is the memory that a read allocates, in
-- bytes. Run by tests/bench/run.
return { title = "Benchmark: read", tick_rate = 64, tests = true }

-- Spawns entities from an assemblage of 8 components (88 bytes) and overrides two fields of each. Run by
-- tests/bench/run.
return { title = "Benchmark: assemblage", tick_rate = 64 }

-- Pairs are added, iterated by target, looked up and removed, for a relation with one target and one with many; and the
-- cost of systems with and without change counters. Run by tests/bench/run.
return { title = "Benchmark: relation", tick_rate = 64 }

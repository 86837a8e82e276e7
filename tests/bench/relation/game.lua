-- Measures adding, iterating by target, looking up and removing pairs, for a relation with one target and for a
-- relation with many targets, and the cost of systems with and without change counters. Run by tests/bench/run.
return { title = "Benchmark: relation", tick_rate = 64 }

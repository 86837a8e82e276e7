-- Pairs: added, gone over by target, asked for, taken away, of a relation to one and of one to many; and what systems
-- cost while nobody asks about changes, and while somebody does. Run by tests/bench/run.
return { title = "Benchmark: relation", tick_rate = 64 }

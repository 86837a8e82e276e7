-- Every tenth unit emits an event in each tick, and a system applies the events to their targets. plain/hits.c does the
-- same. Run by tests/bench/run.
return { title = "Benchmark: hits", tick_rate = 64 }

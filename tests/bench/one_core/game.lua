-- Systems that cannot be split over workers: their rows iterate a table, build strings, draw random numbers or emit
-- events. `move`, a plain movement system, is the comparison. Run by tests/bench/run.
return { title = "Benchmark: one core", tick_rate = 64 }

-- Systems that cannot be split over workers: their rows iterate a table, build strings, draw random numbers or emit
-- events. A plain movement system for comparison. Run by tests/bench/run.
return { title = "Benchmark: one core", tick_rate = 64 }

-- Systems that use one core, whatever the number of workers: their rows iterate a table, build strings, draw random
-- numbers or emit events. A plain movement beside them. Run by tests/bench/run.
return { title = "Benchmark: one core", tick_rate = 64 }

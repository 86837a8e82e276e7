-- The seven-system game frame: single precision where there is only arithmetic, loops where a row decides or other rows
-- are reached. plain/frame7.c does the same; both print the same sums after 25 frames. Run by tests/bench/run.
return { title = "Benchmark: seven systems", tick_rate = 64 }

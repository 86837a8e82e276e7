-- A game frame of seven systems: single precision for pure arithmetic, loops where rows decide or access other rows.
-- plain/frame7.c does the same; both print the same sums after 25 frames. Run by tests/bench/run.
return { title = "Benchmark: seven systems", tick_rate = 64 }

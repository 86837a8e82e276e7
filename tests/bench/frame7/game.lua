-- A game frame of seven systems: systems with pure arithmetic use single precision; systems whose rows branch or access
-- other rows use plain loops. plain/frame7.c does the same; both print the same sums after 25 frames. Run by
-- tests/bench/run.
return { title = "Benchmark: seven systems", tick_rate = 64 }

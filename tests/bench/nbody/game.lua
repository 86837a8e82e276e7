-- Stars that attract each other: a loop over all stars inside a loop over all stars, in double and single precision.
-- plain/nbody.c does the same. Run by tests/bench/run.
return { title = "Benchmark: nbody", tick_rate = 64 }

-- Movement and nothing else, in the three forms of a system, all of them in every run. A tick of 1/64 s and whole
-- speeds: every place is a binary fraction, so that both precisions and C agree to the last bit. Run by
-- tests/bench/run.
return { title = "Benchmark: iterate", tick_rate = 64 }

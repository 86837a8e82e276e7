-- Movement in the three forms of a system; every run executes all three. Uses ticks of 1/64 s and integer speeds: every
-- position is a binary fraction, so both precisions and C agree to the last bit. Run by tests/bench/run.
return { title = "Benchmark: iterate", tick_rate = 64 }

-- Two queries of which one has the other's components and one more: 26 kinds of entities take turns, 15 of them have a
-- place and a velocity, and 13 of these health as well. Ticks of 1/64 s and whole speeds, so that all forms agree to
-- the last bit. Run by tests/bench/run.
return { title = "Benchmark: overlap", tick_rate = 64 }

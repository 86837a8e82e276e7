-- Two queries; the second has all components of the first and one more. Of 26 interleaved kinds of entities, 15 have a
-- position and a velocity, and 13 of these also have health. Uses ticks of 1/64 s and integer speeds so that all forms
-- agree to the last bit. Run by tests/bench/run.
return { title = "Benchmark: overlap", tick_rate = 64 }

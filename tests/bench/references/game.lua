-- Seekers that accelerate towards a random seeker: `each` follows a reference in a column. plain/references.c does the
-- same. Run by tests/bench/run.
return { title = "Benchmark: references", tick_rate = 64 }

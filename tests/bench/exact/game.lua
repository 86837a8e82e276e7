-- Elementary functions over a column; the plain C program calls the same functions of SLEEF. Run by tests/bench/run.
return { title = "Benchmark: exact", tick_rate = 64 }

-- Elementary functions over a column, in loops that LuaJIT compiles; glibc's own in the plain C program. Run by
-- tests/bench/run.
return { title = "Benchmark: exact", tick_rate = 64 }

-- Elementary functions over a column, in loops compiled by LuaJIT; the plain C program uses glibc's. Run by
-- tests/bench/run.
return { title = "Benchmark: exact", tick_rate = 64 }

-- Twelve systems over rows in plain Lua, each with columns of its own, compiled by themselves and compared with plain C
-- in f32 (bench/plain/rows.c). `push` is in single precision; the benchmark rows_single has all of them so. A tick is
-- 1/64 s, speeds are whole and fractions binary, so that C and Lua can have the same bits. Run by tests/bench/run.
return { title = "Benchmark: rows", tick_rate = 64 }

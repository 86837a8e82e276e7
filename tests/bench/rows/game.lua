-- Twelve systems over rows in plain Lua, each with its own columns, compiled automatically and compared with plain C in
-- f32 (bench/plain/rows.c). `push` uses single precision; in the benchmark rows_single all systems use it. Ticks last
-- 1/64 s and speeds are integers and binary fractions, so that C and Lua can agree to the last bit. Run by
-- tests/bench/run.
return { title = "Benchmark: rows", tick_rate = 64 }

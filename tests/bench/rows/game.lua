-- Ten systems over rows in plain Lua, `push` of them in single precision: what becomes machine code by itself, beside
-- plain C in f32 (bench/plain/rows.c). Each has columns of its own. A tick of 1/64 s, whole speeds and binary
-- fractions: where C and Lua can have the same bits, they do. Run by tests/bench/run.
return { title = "Benchmark: rows", tick_rate = 64 }

local t = shoal.types

return { bench = t.single { count = t.i32(2000) } } -- set by tests/bench/run

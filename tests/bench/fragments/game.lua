-- 26 kinds of a hundred entities, each kind with its own component, and a system over the component that all have: the
-- fixed cost of a run that does almost no work. Run by tests/bench/run.
return { title = "Benchmark: fragments", tick_rate = 64 }

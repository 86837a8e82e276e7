-- Measures the fixed cost of a run that does almost no work: 26 kinds of entities with a hundred entities each. Each
-- kind has its own component; a system iterates over the component that all kinds share. Run by tests/bench/run.
return { title = "Benchmark: fragments", tick_rate = 64 }

-- 26 kinds of a hundred entities, each with a component of its own, and a system over what all of them have: what a
-- run costs that is hardly any work. Run by tests/bench/run.
return { title = "Benchmark: fragments", tick_rate = 64 }

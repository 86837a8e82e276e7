-- Things of which every tenth burns, and every tenth of these has a shield: columns of optional components.
-- plain/optional.c does the same. Run by tests/bench/run.
return { title = "Benchmark: optional", tick_rate = 64 }

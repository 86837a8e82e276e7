-- Columns of optional components: every tenth thing burns, and every tenth of the burning things has a shield.
-- plain/optional.c does the same. Run by tests/bench/run.
return { title = "Benchmark: optional", tick_rate = 64 }

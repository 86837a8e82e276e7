-- Columns of optional components: every tenth entity burns, and every tenth of the burning entities has a shield.
-- plain/optional.c does the same. Run by tests/bench/run.
return { title = "Benchmark: optional", tick_rate = 64 }

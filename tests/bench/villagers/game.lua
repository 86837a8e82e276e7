-- A village: `each` chooses what 2,000 villagers do by a table of schedules (a list per job), and moves them to
-- buildings. plain/villagers.c does the same. Run by tests/bench/run.
return { title = "Benchmark: villagers" }

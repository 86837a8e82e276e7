-- Quests: a handler compares 16 events per tick with 2,000 quests (strings and enums), and writes labels.
-- plain/quests.c does the same. Run by tests/bench/run.
return { title = "Benchmark: quests" }

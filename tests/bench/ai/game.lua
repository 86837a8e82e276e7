-- Animals whose needs determine what they do: an `each` system with an enum, branches and a loop over four food
-- positions. plain/ai.c does the same. Run by tests/bench/run.
return { title = "Benchmark: ai", tick_rate = 64 }

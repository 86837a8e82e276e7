-- Animals that choose what to do by their needs: an `each` system with an enum, branches and a loop over four places.
-- plain/ai.c does the same. Run by tests/bench/run.
return { title = "Benchmark: ai", tick_rate = 64 }

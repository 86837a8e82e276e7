-- Inventories as lists: crafters gather materials, make the items of their recipe and sell finished items by threes.
-- plain/lists.c does the same with an array per crafter. Run by tests/bench/run.
return { title = "Benchmark: lists" }

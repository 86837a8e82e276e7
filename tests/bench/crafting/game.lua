-- Inventories: a stack of items is an entity that refers to its owner, and world.who_targets lists the stacks of a
-- crafter. plain/crafting.c does the same with a short array per crafter. Run by tests/bench/run.
return { title = "Benchmark: crafting" }

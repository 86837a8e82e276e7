-- A tower defence: 1,000 towers shoot at the nearest of 3,000 creeps (world.nearest), and killed creeps are spawned
-- again. plain/towers.c does the same. Run by tests/bench/run.
return { title = "Benchmark: towers", layers = { "creep" } }

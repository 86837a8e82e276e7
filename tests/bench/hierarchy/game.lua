-- Ships that turn, each with two turrets, one of them with a muzzle: a system stores the world position of every part,
-- which it reads from `transform.world` and, in a second system, from the columns `world_x` and `world_y`.
-- plain/hierarchy.c does the same. Run by tests/bench/run.
return { title = "Benchmark: hierarchy", tick_rate = 64 }

-- Ships that turn; each has two turrets, and one of the turrets has a muzzle. A system stores the world position of
-- every part, read from `transform.world`; a second system reads it from the columns `world_x` and `world_y`.
-- plain/hierarchy.c does the same. Run by tests/bench/run.
return { title = "Benchmark: hierarchy", tick_rate = 64 }

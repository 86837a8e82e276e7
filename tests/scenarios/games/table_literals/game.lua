-- Spawns entities with table literals in random order, as tests/scenarios/rollback.sh needs it.
return { title = "table literals", id = "table_literals" }

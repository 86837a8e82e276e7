-- Operations whose cost grows with the world, one per tick, selected by `form`. Run by tests/bench/run;
-- tests/bench/reload.sh reloads one of its systems.
return {
  title = "Benchmark: large worlds",
  tick_rate = 64,
  budget = { system = 60000, sql = 100000000 }, -- high enough for a million rows
}

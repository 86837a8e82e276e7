-- What grows with the world, and is asked of all of it in each tick, by `form`. Run by tests/bench/run;
-- tests/bench/reload.sh reloads a system of it.
return {
  title = "Benchmark: large worlds",
  tick_rate = 64,
  budget = { system = 60000, sql = 100000000 }, -- steps: for a million rows
}

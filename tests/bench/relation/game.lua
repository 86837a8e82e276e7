-- Pairs: added, gone over by target, asked for, taken away; and what systems cost while nobody asks about changes, and
-- while somebody does. Run by tests/bench/run.
return {
  title = "Benchmark: relation",
  tick_rate = 64,
  start = function()
    local count = world.single.bench.count
    world.spawn_many("target", count / 1000)
    world.spawn_many("source", count, function(q)
      for i = 1, q.count do
        q.weight.value[i] = i % 16
      end
    end)
  end,
}

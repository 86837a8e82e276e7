return {
  queries = { sources = { "weight" }, targets = { "aimed" } },
  start = function()
    local count = world.single.bench.count
    world.spawn_many("target", count / 1000)
    world.spawn_many("source", count, function(q)
      for i = 1, q.count do
        q.weight.value[i] = i % 16
      end
    end)
  end,
  update = function(q)
    local sources, targets, count = q.sources.entity, q.targets.entity, q.targets.count
    for i = 1, q.sources.count do
      sources[i]:add("likes", targets[(i - 1) % count + 1])
    end
  end,
}

return {
  queries = { sources = { "weight" }, targets = { "aimed" } },
  update = function(q)
    local sources, targets, count = q.sources.entity, q.targets.entity, q.targets.count
    for i = 1, q.sources.count do
      sources[i]:add("likes", targets[(i - 1) % count + 1])
    end
  end,
}

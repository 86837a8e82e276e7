-- The same with a relation of which an entity may have several pairs.
return {
  queries = { sources = { "weight" }, targets = { "aimed" } },
  update = function(q)
    local sources, targets, count = q.sources.entity, q.targets.entity, q.targets.count
    for i = 1, q.sources.count do
      sources[i]:add("knows", targets[(i - 1) % count + 1])
    end
  end,
}

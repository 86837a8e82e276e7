-- Adds pairs of a relation that allows several pairs per entity.
return {
  queries = { sources = { "weight" }, targets = { "aimed" } },
  update = function(q)
    local sources, targets, count = q.sources.entity, q.targets.entity, q.targets.count
    for i = 1, q.sources.count do
      sources[i]:add("knows", targets[(i - 1) % count + 1])
    end
  end,
}

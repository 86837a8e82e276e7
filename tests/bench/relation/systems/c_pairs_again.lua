-- Like c_pairs, in the same tick: no pair has changed since.
return {
  queries = { targets = { "aimed" } },
  update = function(q)
    local sum, count = 0, q.targets.count < 200 and q.targets.count or 200
    for k = 1, count do
      local p = world.query { "weight", likes = q.targets.entity[k] }
      local value = p.weight.value
      for i = 1, p.count do
        sum = sum + value[i]
      end
    end
    world.single.sums.weight = sum
  end,
}

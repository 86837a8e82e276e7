return {
  queries = { targets = { "aimed" } },
  update = function(q)
    local sum = 0
    for i = 1, q.targets.count do
      sum = sum + #world.who_targets(q.targets.entity[i], "knows")
    end
    world.single.sums.sources = sum
  end,
}

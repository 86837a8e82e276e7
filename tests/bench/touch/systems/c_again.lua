return {
  after = "b_first",
  query = { "health" },
  update = function(q)
    local entity, sum = q.entity, 0
    for i = 1, q.count do sum = sum + entity[i].health.hp end
    if world.tick == world.single.bench.last then print(("check again %.17g"):format(sum)) end
  end,
}

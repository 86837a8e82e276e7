return {
  phase = "input",
  start = function()
    world.spawn_many("cell", world.single.bench.count, function(q)
      for i = 1, q.count do q.cell.cost[i] = 1 + i * 7 % 5 end
    end)
  end,
}

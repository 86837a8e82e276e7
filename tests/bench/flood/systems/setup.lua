return {
  phase = "input",
  start = function()
    world.spawn_many("cell", world.single.bench.count, function(q)
      for i = 1, q.count do q.cell.wall[i] = i * 7919 % 101 < 25 end
    end)
  end,
}

return {
  phase = "input",
  start = function()
    world.spawn_many("cell", world.single.bench.count, function(q)
      for i = 1, q.count do
        q.cell.fuel[i] = i * 37 % 100 / 10
        if i % 1997 == 0 then q.cell.state[i] = "burning" end
      end
    end)
  end,
}

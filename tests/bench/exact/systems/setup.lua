return {
  phase = "input",
  start = function()
    world.spawn_many("number", world.single.bench.count, function(q)
      local x, y = q.number.x, q.number.y
      for i = 1, q.count do
        x[i], y[i] = (i * 7919 % 10007 + 1) / 1000, (i * 104729 % 10009) / 2000 - 2.5
      end
    end)
  end,
}

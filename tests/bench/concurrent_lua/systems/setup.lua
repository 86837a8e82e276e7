return {
  phase = "input",
  start = function()
    world.spawn_many("mover", world.single.bench.count, function(q)
      local x, y = q.left.x, q.right.x
      for i = 1, q.count do
        x[i], y[i] = i % 1000 / 1024, i % 700 / 1024
      end
    end)
  end,
}

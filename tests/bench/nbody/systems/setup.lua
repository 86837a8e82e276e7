return {
  phase = "input",
  start = function()
    world.spawn_many("star", world.single.bench.count, function(q)
      for i = 1, q.count do
        q.star.x[i], q.star.y[i], q.star.mass[i] = i * 37 % 1000, i * 91 % 700, 1 + i % 3
      end
    end)
  end,
}

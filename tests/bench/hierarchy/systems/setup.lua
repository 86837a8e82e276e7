return {
  phase = "input",
  start = function()
    world.spawn_many("ship", world.single.bench.count / 4, function(q)
      for i = 1, q.count do q.transform.x[i], q.transform.y[i] = i % 1000, i % 700 end
    end)
  end,
}

return {
  phase = "input",
  start = function()
    world.spawn_many("spark", world.single.bench.count, function(q)
      for i = 1, q.count do q.spark.age[i] = i % 64 / 64 end
    end)
  end,
}

return {
  phase = "input",
  start = function()
    world.spawn_many("unit", world.single.bench.count, function(q)
      for i = 1, q.count do
        q.unit.power[i], q.unit.target[i] = i % 5, q.entity[i * 7919 % q.count + 1]
      end
    end)
  end,
}

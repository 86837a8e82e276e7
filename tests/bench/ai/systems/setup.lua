return {
  phase = "input",
  start = function()
    world.spawn_many("animal", world.single.bench.count, function(q)
      local a = q.animal
      for i = 1, q.count do
        a.x[i], a.y[i] = i * 37 % 1000, i * 91 % 700
        a.hunger[i], a.fear[i], a.energy[i] = i * 13 % 100, i * 29 % 100, i * 53 % 100
      end
    end)
  end,
}

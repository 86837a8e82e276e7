local KINDS = { "wheat", "corn", "beet", "pumpkin" }

return {
  phase = "input",
  start = function()
    world.spawn_many("plot", world.single.bench.count, function(q)
      for i = 1, q.count do
        q.crop.kind[i] = KINDS[i * 7919 % 101 % 4 + 1]
        q.soil.fertility[i], q.soil.moisture[i] = 0.5 + i * 37 % 1000 / 1000, i * 91 % 1000 / 1000
      end
    end)
  end,
}

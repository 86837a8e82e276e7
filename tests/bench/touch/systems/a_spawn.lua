return {
  update = function()
    world.spawn_many("fighter", world.single.bench.count, function(q)
      local hp, tick = q.health.hp, world.tick
      for i = 1, q.count do hp[i] = (i + tick) % 100 end
    end)
  end,
}

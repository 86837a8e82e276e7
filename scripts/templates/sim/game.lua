-- The game's settings and start. Shoal loads the other files of this folder automatically.
return {
  title = "thing",
  width = 1280, height = 720,
  layers = { "rabbit", "grass" }, -- collision layers
  start = function() -- runs once, when the game starts
    world.spawn("eye")
    world.spawn_many("grass", 900, function(q)
      for i = 1, q.count do
        q.transform.x[i], q.transform.y[i] = world.random(1280), world.random(640) + 60
        q.grass.grown[i] = world.random()
      end
    end)
    world.spawn_many("rabbit", 120, function(q)
      for i = 1, q.count do
        q.transform.x[i], q.transform.y[i] = world.random(1280), world.random(640) + 60
        q.animal.turn[i] = world.random(0, 6.28)
      end
    end)
  end,
}

-- Spawns a star at a random position every eight seconds.
return {
  every = 480,
  update = function()
    if world.tick > 0 then
      world.spawn("star", { transform = { x = world.random(200, 1100), y = 270 } })
    end
  end,
}

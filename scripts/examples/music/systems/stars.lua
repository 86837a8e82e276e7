-- Drops a star into the meadow every eight seconds.
return {
  every = 480,
  update = function()
    if world.tick > 0 then
      world.spawn("star", { transform = { x = world.random(200, 1100), y = 270 } })
    end
  end,
}

-- Varies the strength and direction of the wind.
return {
  update = function()
    local wind = world.single.grass_wind
    wind.force = 1 + 0.5 * math.sin(world.time * 0.31)
    wind.angle = 0.3 * math.sin(world.time * 0.17)
  end,
}

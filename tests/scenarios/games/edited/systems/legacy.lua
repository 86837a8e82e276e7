return {
  stop = function()
    world.single.tally.stops = world.single.tally.stops + 1
    print("legacy: stop in tick " .. world.tick)
  end,
  update = function() end,
}

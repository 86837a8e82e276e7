-- Its body fails in its first tick, after start and enter: enter must come again in the next one, and start not.
return {
  query = { "motion" },
  start = function()
    print("mends: start")
    world.spawn(nil, { name = "by start" })
  end,
  enter = function(e)
    print("mends: enter " .. tostring(e))
    e:add("marker")
  end,
  update = function(q)
    if not world.single.tally.mended then
      error("not yet")
    end
    if world.tick == 28 then
      print(("mends: markers %d, by start %s"):format(world.count("marker"), tostring(world.find("by start") ~= nil)))
    end
    return q
  end,
}

-- `update` fails in the first tick, after `start` and `enter`: in the next tick `enter` must be called again, but not
-- `start`.
return {
  query = { "motion" },
  start = function()
    print("recovering: start")
    world.spawn(nil, { name = "by start" })
  end,
  enter = function(e)
    print("recovering: enter " .. tostring(e))
    e:add("marker")
  end,
  update = function(q)
    if not world.single.tally.mended then
      error("not yet")
    end
    if world.tick == 28 then
      local found = world.find("by start") ~= nil
      print(("recovering: markers %d, by start %s"):format(world.count("marker"), tostring(found)))
    end
    return q
  end,
}

return {
  on = {
    collision = function(ev)
      local found = world.single.found
      found.contacts = found.contacts + ev.count
    end,
  },
  phase = "post_update",
  update = function()
    -- Collisions are delivered one tick late: those of tick `last` in tick `last` + 1.
    if world.tick ~= world.single.bench.last + 1 then return end
    print(("check contacts %.17g"):format(world.single.found.contacts))
  end,
}

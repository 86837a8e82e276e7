return {
  on = {
    collision = function(ev)
      local found = world.single.found
      found.contacts = found.contacts + ev.count
    end,
  },
  phase = "post_update",
  update = function()
    if world.tick ~= world.single.bench.last then return end
    print(("check contacts %.17g"):format(world.single.found.contacts))
  end,
}

return {
  on = {
    collision = function(ev)
      local found = world.single.found
      found.contacts = found.contacts + ev.count
    end,
  },
  phase = "post_update",
  update = function()
    if world.tick ~= world.single.bench.last + 1 then return end -- what the last tick found is heard in this one
    print(("check contacts %.17g"):format(world.single.found.contacts))
  end,
}

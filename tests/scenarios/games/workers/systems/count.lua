return {
  phase = "post_update",
  on = {
    flash = function(ev)
      local tally = world.single.tally
      for i = 1, ev.count do
        tally.sparks = (tally.sparks * 31 + ev.who:raw(i)) % 1000003 -- the result depends on the order
        tally.energy = tally.energy * 0.5 + ev.energy[i]
      end
    end,
  },
}

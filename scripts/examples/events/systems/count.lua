return {
  on = {
    burst = function(ev)
      world.single.sky.bursts = world.single.sky.bursts + ev.count
    end,
  },
}

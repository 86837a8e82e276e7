-- Counts the bursts. A handler is called once per tick with all events of its kind: `ev.count` bursts.
return {
  on = {
    burst = function(ev)
      world.single.sky.bursts = world.single.sky.bursts + ev.count
    end,
  },
}

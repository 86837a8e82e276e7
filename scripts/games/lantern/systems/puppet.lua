-- The second feeder: packets, from a scene that leads the hero about (sequences/), from a recording (recorded.lua), or
-- from a socket, as in scripts/examples/feeders. The last one holds until the next.
return {
  phase = "pre_update",
  query = { "intent", "puppet" },
  enter = function(e) e.intent.x, e.intent.y = 0, 0 end,
  on = {
    packet = function(ev)
      for e in world.each("intent", "puppet") do
        e.intent.x, e.intent.y, e.intent.strike = ev.x[ev.count], ev.y[ev.count], ev.strike[ev.count]
      end
    end,
  },
}

-- Sets the intent from packets, the second source of an intent. Packets come from a cutscene (sequences/), from a
-- recording (recorded.lua), or from a network socket, as in scripts/examples/feeders. A packet applies until the next
-- one.
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

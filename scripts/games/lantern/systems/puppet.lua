-- Sets the hero's intent from `packet` events, which a cutscene (sequences/) or a recording (recorded.lua) emits. The
-- packets could also come from a network socket, as in scripts/examples/feeders. A packet applies until the next packet
-- arrives.
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

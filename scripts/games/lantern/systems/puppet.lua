-- The second feeder: packets. A scene emits them to lead the hero about; a recording or a socket may as well, as in
-- scripts/examples/feeders. The last one holds until the next.
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

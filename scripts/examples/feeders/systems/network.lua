-- The third feeder: what has come in. A packet holds until the next one, as in any game whose packets get lost.
return {
  phase = "pre_update",
  query = { "intent", "network" },
  on = {
    packet = function(ev)
      for e in world.each("intent", "network") do
        e.intent.turn, e.intent.thrust = ev.turn[ev.count], ev.thrust[ev.count]
      end
    end,
  },
}

-- The third feeder: received packets. A packet applies until the next one arrives, so lost packets do no harm.
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

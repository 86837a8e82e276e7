-- The third feeder: packets from a network. A packet applies until the next packet arrives, so a lost packet does no
-- harm.
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

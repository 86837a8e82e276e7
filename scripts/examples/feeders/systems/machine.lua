-- The second feeder, an AI: turns the boat towards the buoy, with less thrust while it points elsewhere.
return {
  phase = "pre_update",
  query = { "intent", "machine", "transform" },
  update = function(q)
    local buoy = world.single.race.buoy.transform
    local turn, thrust, x, y, angle =
      q.intent.turn, q.intent.thrust, q.transform.x, q.transform.y, q.transform.angle
    for i = 1, q.count do
      local dx, dy = buoy.x - x[i], buoy.y - y[i]
      local ahead = dx * math.cos(angle[i]) + dy * math.sin(angle[i])
      local aside = dy * math.cos(angle[i]) - dx * math.sin(angle[i])
      local wanted = math.atan2(aside, ahead)
      turn[i] = math.max(-1, math.min(1, 2 * wanted))
      thrust[i] = math.abs(wanted) < 0.8 and 1 or 0.35
    end
  end,
}

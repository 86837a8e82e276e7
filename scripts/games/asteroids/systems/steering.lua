-- Turns ships according to their intent. The turn rate grows over a few ticks, so a tap on the key turns only a little.
return {
  query = { "motion", "intent", "engine" },
  update = function(q, dt)
    local spin, turn, rate = q.motion.spin, q.intent.turn, q.engine.turn_rate
    local share = math.min(1, 22 * dt)
    for i = 1, q.count do spin[i] = spin[i] + (turn[i] * rate[i] - spin[i]) * share end
  end,
}

-- Makes glow-worms fly in endless curves.
return {
  query = { "drift", "transform" },
  update = function(q, dt)
    local x, y, turn, pace = q.transform.x, q.transform.y, q.drift.turn, q.drift.pace
    for i = 1, q.count do
      turn[i] = (turn[i] + dt * pace[i] * 1.3) % (2 * math.pi)
      x[i] = x[i] + 26 * pace[i] * math.cos(turn[i]) * dt
      y[i] = y[i] + 34 * pace[i] * math.sin(turn[i]) * dt
    end
  end,
}

-- Moves the boats by their intents, and keeps them on the lake.
return {
  query = { "boat", "intent", "transform" },
  update = function(q, dt)
    local speed, turn, thrust = q.boat.speed, q.intent.turn, q.intent.thrust
    local x, y, angle = q.transform.x, q.transform.y, q.transform.angle
    for i = 1, q.count do
      speed[i] = speed[i] + (thrust[i] * 260 - speed[i]) * 1.6 * dt
      angle[i] = angle[i] + turn[i] * speed[i] / 90 * dt
      x[i] = math.max(30, math.min(1250, x[i] + math.cos(angle[i]) * speed[i] * dt))
      y[i] = math.max(50, math.min(650, y[i] + math.sin(angle[i]) * speed[i] * dt))
    end
  end,
}

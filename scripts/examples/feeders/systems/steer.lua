-- Moves the boats by their intents.
return {
  query = { "boat", "intent", "transform" },
  update = function(q, dt)
    local speed, turn, thrust = q.boat.speed, q.intent.turn, q.intent.thrust
    local x, y, angle = q.transform.x, q.transform.y, q.transform.angle
    for i = 1, q.count do
      speed[i] = speed[i] + (thrust[i] * 260 - speed[i]) * 1.6 * dt
      angle[i] = angle[i] + turn[i] * speed[i] / 90 * dt
      x[i] = (x[i] + math.cos(angle[i]) * speed[i] * dt) % 1280
      y[i] = (y[i] + math.sin(angle[i]) * speed[i] * dt) % 720
    end
  end,
}

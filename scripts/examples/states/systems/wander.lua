-- Moves the fireflies, whichever state they are in.
return {
  query = { "wander", "transform" },
  update = function(q, dt)
    local x, y, phase, now = q.transform.x, q.transform.y, q.wander.phase, world.time
    for i = 1, q.count do
      x[i] = (x[i] + (40 * math.sin(now * 0.7 + phase[i]) + 18) * dt) % 1280
      y[i] = y[i] + 30 * math.sin(now * 0.9 + phase[i] * 3) * dt
    end
  end,
}

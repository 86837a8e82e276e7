-- The shoal in the menu's background: every fish follows a slowly turning flow, wiggles with its own phase, and wraps
-- around at the edges.
local sin, cos = math.sin, math.cos

return {
  query = { "transform", "swim" },
  update = function(q, dt)
    local x, y, angle = q.transform.x, q.transform.y, q.transform.angle
    local speed, phase = q.swim.speed, q.swim.phase
    local time = world.time
    for i = 1, q.count do
      local heading =
        sin(x[i] * 0.0031 + time * 0.21) + cos(y[i] * 0.0043 - time * 0.17) + 0.25 * sin(time * 2 + phase[i])
      angle[i] = angle[i] + (heading - angle[i]) * dt * 1.5
      local nx, ny = x[i] + cos(angle[i]) * speed[i] * dt, y[i] + sin(angle[i]) * speed[i] * dt
      x[i] = nx < -20 and 1300 or nx > 1300 and -20 or nx
      y[i] = ny < -20 and 740 or ny > 740 and -20 or ny
    end
  end,
}

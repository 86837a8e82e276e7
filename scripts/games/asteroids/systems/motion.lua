-- Moves and rotates entities with `motion`.
return {
  after = { "steering", "thrust", "guns", "warp", "saucer_flight" },
  query = { "transform", "motion" },
  update = function(q, dt)
    local x, y, angle = q.transform.x, q.transform.y, q.transform.angle
    local vx, vy, spin = q.motion.vx, q.motion.vy, q.motion.spin
    for i = 1, q.count do
      x[i] = x[i] + vx[i] * dt
      y[i] = y[i] + vy[i] * dt
      angle[i] = angle[i] + spin[i] * dt
    end
  end,
}

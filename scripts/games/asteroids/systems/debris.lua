-- Fades and slows ship debris over its lifetime.
return {
  after = { "motion" },
  query = { "debris", "lifetime", "motion", "shape" },
  update = function(q, dt)
    local life, drag, peak, left = q.debris.life, q.debris.drag, q.debris.peak, q.lifetime.seconds
    local vx, vy, alpha = q.motion.vx, q.motion.vy, q.shape.colour.w
    for i = 1, q.count do
      local keep = 1 - drag[i] * dt
      alpha[i] = peak[i] * math.max(0, left[i] / life[i])
      vx[i], vy[i] = vx[i] * keep, vy[i] * keep
    end
  end,
}

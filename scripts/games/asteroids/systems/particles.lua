-- Fades, slows and shrinks particles while their lifetimes run out.
return {
  after = { "motion" },
  query = { "particle", "lifetime", "transform", "motion", "shape" },
  update = function(q, dt)
    local particle, left = q.particle, q.lifetime.seconds
    local life, drag, peak, shrink = particle.life, particle.drag, particle.peak, particle.shrink
    local vx, vy, scale, alpha = q.motion.vx, q.motion.vy, q.transform.scale_x, q.shape.colour.w
    for i = 1, q.count do
      local k = math.max(0, left[i] / life[i])
      alpha[i] = peak[i] * k
      if shrink[i] then scale[i] = 0.25 + 0.9 * k end
      local keep = 1 - drag[i] * dt
      vx[i], vy[i] = vx[i] * keep, vy[i] * keep
    end
  end,
}

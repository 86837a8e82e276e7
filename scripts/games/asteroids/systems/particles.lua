-- Fades, slows and shrinks particles while their lifetimes run out.
return {
  after = { "motion" },
  query = { "particle", "lifetime", "transform", "motion", "shape" },
  update = function(q, dt)
    local life, drag, peak, shrink, left = q.particle.life, q.particle.drag, q.particle.peak, q.particle.shrink, q.lifetime.seconds
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

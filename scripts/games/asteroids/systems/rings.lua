-- Shock waves and flares: circles that grow or shrink ever more slowly and fade.
return {
  after = { "motion" },
  query = { "ring", "lifetime", "shape" },
  update = function(q, dt)
    local growth, life, peak, seconds_left = q.ring.growth, q.ring.life, q.ring.peak, q.lifetime.seconds
    local radius, alpha = q.shape.radius, q.shape.colour.w
    for i = 1, q.count do
      radius[i] = math.max(0, radius[i] + growth[i] * dt)
      growth[i] = growth[i] * (1 - 1.8 * dt)
      alpha[i] = peak[i] * math.max(0, seconds_left[i] / life[i])
    end
  end,
}

local m = shoal.math

-- Rows of two components that do not stand side by side, read and written.
return {
  after = "drift",
  query = { "motion", "weight" },
  kernel = function(q, dt)
    q.motion.vy = q.motion.vy + q.weight.grams * dt * 0.01
    q.motion.vx = m.clamp(q.motion.vx, -500, 500)
    q.weight.grams = m.abs(q.motion.vx) * 0.1 + q.weight.grams * 0.9
  end,
}

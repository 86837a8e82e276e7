-- Reads and writes two components whose rows are in different orders.
return {
  after = "drift",
  query = { "motion", "weight" },
  precision = "single",
  update = function(q, dt)
    local motion, grams = q.motion, q.weight.grams
    for i = 1, q.count do
      motion.vy[i] = motion.vy[i] + grams[i] * dt * 0.01
      motion.vx[i] = shoal.math.clamp(motion.vx[i], -500, 500)
      grams[i] = math.abs(motion.vx[i]) * 0.1 + grams[i] * 0.9
    end
  end,
}

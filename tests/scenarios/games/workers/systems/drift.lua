return {
  query = { "transform", "motion" },
  precision = "single",
  update = function(q, dt)
    local transform, motion = q.transform, q.motion
    for i = 1, q.count do
      transform.x[i] = transform.x[i] + motion.vx[i] * dt
      transform.y[i] = transform.y[i] + motion.vy[i] * dt
      motion.vx[i] = motion.vx[i] * 0.999 - transform.x[i] * 0.01 * dt
      motion.vy[i] = motion.vy[i] * 0.999 - transform.y[i] * 0.01 * dt
    end
  end,
}

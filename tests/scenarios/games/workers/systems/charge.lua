local m = shoal.math

-- Rows that do not stand side by side, values of every size.
return {
  after = "drift",
  query = { "motion", "charge" },
  kernel = function(q, dt)
    q.charge.value = m.sqrt(q.motion.vx * q.motion.vx + q.motion.vy * q.motion.vy) + q.charge.value * 0.9
    q.charge.exact = q.charge.exact + q.charge.value * dt
    q.charge.ticks = q.charge.ticks + 1
    q.charge.bright = m.gt(q.charge.value, 100)
  end,
}

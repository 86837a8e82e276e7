return {
  query = { "transform", "motion" },
  kernel = function(q, dt)
    q.transform.x = q.transform.x + q.motion.vx * dt
    q.transform.y = q.transform.y + q.motion.vy * dt
    q.motion.vx = q.motion.vx * 0.999 - q.transform.x * 0.01 * dt
    q.motion.vy = q.motion.vy * 0.999 - q.transform.y * 0.01 * dt
  end,
}

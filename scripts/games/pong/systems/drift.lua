-- Sparks fly on and grow slow.
return {
  query = { "drift", "transform" },
  kernel = function(q, dt)
    q.transform.x = q.transform.x + q.drift.vx * dt
    q.transform.y = q.transform.y + q.drift.vy * dt
    q.drift.vx = q.drift.vx * (1 - 3 * dt)
    q.drift.vy = q.drift.vy * (1 - 3 * dt)
  end,
}

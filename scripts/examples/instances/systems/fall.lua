return {
  query = { "drop", "transform" },
  kernel = function(q, dt)
    q.drop.vy = q.drop.vy + 520 * dt
    q.transform.x = q.transform.x + q.drop.vx * dt
    q.transform.y = q.transform.y + q.drop.vy * dt
  end,
}

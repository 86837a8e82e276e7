return {
  query = { "pushed" },
  kernel = function(q, dt)
    q.pushed.x = q.pushed.x + q.pushed.vx * dt
    q.pushed.y = q.pushed.y + q.pushed.vy * dt
  end,
}

return {
  query = { "transform", "turning" },
  kernel = function(q, dt)
    q.transform.angle = q.transform.angle + q.turning.rate * dt
  end,
}

return {
  query = { "position", "velocity" },
  kernel = function(q, dt)
    q.position.x = q.position.x + q.velocity.x * dt
    q.position.y = q.position.y + q.velocity.y * dt
  end,
}

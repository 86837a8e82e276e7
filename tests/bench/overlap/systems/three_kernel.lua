return {
  after = "two_update",
  query = { "position", "velocity", "health" },
  kernel = function(q, dt)
    q.position.x = q.position.x + q.velocity.y * dt
    q.health.hp = q.health.hp + q.velocity.x * dt
  end,
}

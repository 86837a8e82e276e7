return {
  after = "two_update",
  query = { "position", "velocity", "health" },
  precision = "single",
  update = function(q, dt)
    local x, hp, vx, vy = q.position.x, q.health.hp, q.velocity.x, q.velocity.y
    for i = 1, q.count do
      x[i] = x[i] + vy[i] * dt
      hp[i] = hp[i] + vx[i] * dt
    end
  end,
}

return {
  query = { "position", "velocity" },
  update = function(q, dt)
    local x, y, vx, vy = q.position.x, q.position.y, q.velocity.x, q.velocity.y
    for i = 1, q.count do
      x[i] = x[i] + vx[i] * dt
      y[i] = y[i] + vy[i] * dt
    end
  end,
}

return {
  query = { "transform", "drift" },
  update = function(q, dt)
    local x, y, vx, vy = q.transform.x, q.transform.y, q.drift.vx, q.drift.vy
    for i = 1, q.count do
      x[i] = x[i] + vx[i] * dt
      y[i] = y[i] + vy[i] * dt
    end
  end,
}

return {
  query = { "pushed" },
  precision = "single",
  update = function(q, dt)
    local c = q.pushed
    for i = 1, q.count do
      c.x[i] = c.x[i] + c.vx[i] * dt
      c.y[i] = c.y[i] + c.vy[i] * dt
    end
  end,
}

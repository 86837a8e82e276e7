return {
  query = { "mover" },
  update = function(q, dt)
    local c = q.mover
    for i = 1, q.count do
      c.x[i] = c.x[i] + c.vx[i] * dt
      c.y[i] = c.y[i] + c.vy[i] * dt
    end
  end,
}

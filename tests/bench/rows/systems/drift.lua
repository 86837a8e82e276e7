local WIDTH, HEIGHT = 1000, 700

return {
  query = { "drifter" },
  update = function(q, dt)
    local c = q.drifter
    for i = 1, q.count do
      c.x[i] = c.x[i] + c.vx[i] * dt
      c.y[i] = c.y[i] + c.vy[i] * dt
      if c.x[i] < 0 and c.vx[i] < 0 or c.x[i] > WIDTH and c.vx[i] > 0 then
        c.vx[i] = -c.vx[i]
      end
      if c.y[i] < 0 and c.vy[i] < 0 or c.y[i] > HEIGHT and c.vy[i] > 0 then
        c.vy[i] = -c.vy[i]
      end
    end
  end,
}

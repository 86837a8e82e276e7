return {
  query = { "transform", "velocity" },
  update = function(q)
    local x, y, vx, vy = q.transform.x, q.transform.y, q.velocity.x, q.velocity.y
    for i = 1, q.count do
      local nx, ny = x[i] + vx[i], y[i] + vy[i]
      if nx < 0 or nx > 1280 then vx[i] = -vx[i] end
      if ny < 0 or ny > 720 then vy[i] = -vy[i] end
      x[i], y[i] = nx, ny
    end
  end,
}

-- Moves the dots; they bounce off the edges of the sky.
local sky = require "sky"

return {
  query = { "transform", "drift" },
  update = function(q, dt)
    local x, y, vx, vy = q.transform.x, q.transform.y, q.drift.x, q.drift.y
    for i = 1, q.count do
      x[i], y[i] = x[i] + vx[i] * dt, y[i] + vy[i] * dt
      if x[i] < 0 and vx[i] < 0 or x[i] > sky.WIDTH and vx[i] > 0 then vx[i] = -vx[i] end
      if y[i] < 0 and vy[i] < 0 or y[i] > sky.HEIGHT and vy[i] > 0 then vy[i] = -vy[i] end
    end
  end,
}

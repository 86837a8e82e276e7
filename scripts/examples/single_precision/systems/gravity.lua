-- Pulls each star to the centre. The disc is tilted: on screen, y is compressed, so it is multiplied by TILT to compute
-- distances.
local CENTRE_X, CENTRE_Y, PULL, TILT = 640, 360, 90000, 1 / 0.62

return {
  query = { "transform", "star" },
  precision = "single",
  update = function(q, dt)
    local transform, star = q.transform, q.star
    for i = 1, q.count do
      local dx, dy = transform.x[i] - CENTRE_X, (transform.y[i] - CENTRE_Y) * TILT
      local far = math.max(math.sqrt(dx * dx + dy * dy), 24)
      local pull = PULL / (far * far * far) * dt
      star.vx[i] = star.vx[i] - dx * pull
      star.vy[i] = star.vy[i] - dy / TILT * pull
      transform.x[i] = transform.x[i] + star.vx[i] * dt
      transform.y[i] = transform.y[i] + star.vy[i] * dt
    end
  end,
}

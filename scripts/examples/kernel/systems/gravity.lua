-- Looks like the body of a loop without the index: q.star.vx stands for all rows at once. The disc is seen from the
-- side, so y is drawn together and is stretched for the distance.
local m = shoal.math
local CENTRE_X, CENTRE_Y, PULL, TILT = 640, 360, 90000, 1 / 0.62

return {
  query = { "transform", "star" },
  kernel = function(q, dt)
    local dx, dy = q.transform.x - CENTRE_X, (q.transform.y - CENTRE_Y) * TILT
    local far = m.max(m.sqrt(dx * dx + dy * dy), 24)
    local pull = PULL / (far * far * far) * dt
    q.star.vx = q.star.vx - dx * pull
    q.star.vy = q.star.vy - dy / TILT * pull
    q.transform.x = q.transform.x + q.star.vx * dt
    q.transform.y = q.transform.y + q.star.vy * dt
  end,
}

-- Each bird steers towards the centre of its neighbours, matches the velocities of the three nearest birds, keeps its
-- distance from the nearest bird, and flees from the hawk.
local sky = require "sky"
local sqrt, min, max = math.sqrt, math.min, math.max

return {
  after = "hawk",
  queries = { birds = { "transform", "flight", "neighbours" }, hawks = { "transform", "hawk" } },
  update = function(q, dt)
    local place, flight = world.lookup("transform"), world.lookup("flight")
    local birds, near = q.birds, q.birds.neighbours
    local x, y, vx, vy = birds.transform.x, birds.transform.y, birds.flight.vx, birds.flight.vy
    local hawk_x, hawk_y = q.hawks.transform.x[1], q.hawks.transform.y[1]
    for i = 1, birds.count do
      local ax, ay = (640 - x[i]) * 0.25, (360 - y[i]) * 0.35
      if near.count[i] > 0 then
        ax, ay = ax + (near.centre_x[i] - x[i]) * 3, ay + (near.centre_y[i] - y[i]) * 3
        local first, second, third = near.e1:raw(i), near.e2:raw(i), near.e3:raw(i)
        local push = max(0, 12 - near.d1[i]) * 60 / max(1, near.d1[i])
        ax, ay = ax + (x[i] - place.x[first]) * push, ay + (y[i] - place.y[first]) * push
        ax, ay = ax + (flight.vx[first] - vx[i]) * 3, ay + (flight.vy[first] - vy[i]) * 3
        if near.count[i] >= 3 then
          ax, ay = ax + (flight.vx[second] + flight.vx[third] - 2 * vx[i]),
            ay + (flight.vy[second] + flight.vy[third] - 2 * vy[i])
        end
      end
      local dx, dy = x[i] - hawk_x, y[i] - hawk_y
      local far = sqrt(dx * dx + dy * dy) + 1
      local fear = max(0, 150 - far) * 9 / far
      vx[i], vy[i] = vx[i] + (ax + dx * fear) * dt, vy[i] + (ay + dy * fear) * dt
      local speed = sqrt(vx[i] * vx[i] + vy[i] * vy[i]) + 1e-6
      local wanted = min(240, max(110, speed)) / speed
      vx[i], vy[i] = vx[i] * wanted, vy[i] * wanted
      x[i], y[i] = min(sky.WIDTH + 60, max(-60, x[i] + vx[i] * dt)), min(sky.HEIGHT + 60, max(-60, y[i] + vy[i] * dt))
    end
  end,
}

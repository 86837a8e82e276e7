-- The shoal at the top of the menu: every fish follows a slowly turning flow, wiggles with its own phase, turns back at
-- the edges of the strip, and so does not swim over the texts.
local sea = require "lib.sea"
local sin, cos = math.sin, math.cos
local MARGIN = 30 -- distance from the left and lower edge at which fish turn back

return {
  query = { "transform", "swim" },
  update = function(q, dt)
    local x, y, angle = q.transform.x, q.transform.y, q.transform.angle
    local speed, phase = q.swim.speed, q.swim.phase
    local time = world.time
    for i = 1, q.count do
      local heading = 0.7 * sin(x[i] * 0.006 + time * 0.31) + 0.5 * cos(y[i] * 0.02 - time * 0.27 + phase[i])
        + 0.25 * sin(time * 2 + phase[i])
      if y[i] > sea.BOTTOM - MARGIN then heading = -0.6 end
      if y[i] < sea.TOP + MARGIN then heading = 0.6 end
      angle[i] = angle[i] + (heading - angle[i]) * dt * 2.5
      x[i] = x[i] + cos(angle[i]) * speed[i] * dt
      y[i] = math.min(sea.BOTTOM, math.max(sea.TOP, y[i] + sin(angle[i]) * speed[i] * dt))
      if x[i] > sea.RIGHT then x[i] = sea.LEFT end
    end
  end,
}

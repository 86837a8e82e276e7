-- The shoal at the top of the menu: every fish follows a slowly turning flow, wiggles with its own phase, and returns
-- to its own depth. The fish thus fill the strip evenly and stay clear of the text.
local sea = require "lib.sea"
local sin, cos = math.sin, math.cos
local MARGIN = 26 -- distance of the outermost depths from the upper and lower edge
local RETURN = 0.022 -- radians by which a fish's target heading turns towards its depth, per pixel of distance

return {
  query = { "transform", "swim" },
  update = function(q, dt)
    local x, y, angle = q.transform.x, q.transform.y, q.transform.angle
    local speed, phase = q.swim.speed, q.swim.phase
    local time = world.time
    for i = 1, q.count do
      local heading = 0.7 * sin(x[i] * 0.006 + time * 0.31) + 0.5 * cos(y[i] * 0.02 - time * 0.27 + phase[i])
        + 0.25 * sin(time * 2 + phase[i])
      local depth = sea.TOP + MARGIN + (sea.BOTTOM - sea.TOP - 2 * MARGIN) * phase[i] / (2 * math.pi)
      heading = 0.6 * heading + math.max(-0.9, math.min(0.9, RETURN * (depth - y[i])))
      angle[i] = angle[i] + (heading - angle[i]) * dt * 2.5
      x[i] = x[i] + cos(angle[i]) * speed[i] * dt
      y[i] = math.min(sea.BOTTOM, math.max(sea.TOP, y[i] + sin(angle[i]) * speed[i] * dt))
      if x[i] > sea.RIGHT then x[i] = sea.LEFT end
    end
  end,
}

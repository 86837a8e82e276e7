-- A ship that is struck enters its next state: it is a wreck.
local tuning = require "tuning"

return {
  phase = "post_update",
  after = { "hits" },
  query = { "ship", "struck", "transform", "motion" },
  each = function(e)
    local t, c = e.transform, tuning.colours.ship
    world.emit("explosion", { x = t.x, y = t.y, vx = e.motion.vx * 0.5, vy = e.motion.vy * 0.5, power = 1, r = c[1], g = c[2], b = c[3] })
    e:remove("struck")
    e:enter("breaking")
  end,
}

-- A saucer that is struck blows up and is worth a lot.
local tuning = require "tuning"

return {
  phase = "post_update",
  after = { "hits" },
  query = { "saucer", "struck", "transform", "motion" },
  each = function(e)
    local small, t = e.saucer.small, e.transform
    local c = small and tuning.colours.saucer_small or tuning.colours.saucer_big
    world.emit("explosion", { x = t.x, y = t.y, vx = e.motion.vx, vy = e.motion.vy, power = 0.7, r = c[1], g = c[2], b = c[3] })
    if e.struck.scores then
      world.emit("scored", { points = small and tuning.saucer_small_points or tuning.saucer_big_points, x = t.x, y = t.y })
    end
    e:destroy()
  end,
}

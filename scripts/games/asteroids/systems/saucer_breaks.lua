-- Destroys struck saucers, and awards points for those that a ship or its bullet hit.
local tuning = require "tuning"
local blasts = require "lib.blasts"

return {
  phase = "post_update",
  after = { "hits" },
  query = { "saucer", "struck", "transform", "motion" },
  each = function(e)
    local t, kind = e.transform, e.saucer.small and "saucer_small" or "saucer_big"
    blasts.announce(e, 0.7, tuning.colours[kind])
    if e.struck.scores then world.emit("scored", { points = tuning[kind .. "_points"], x = t.x, y = t.y }) end
    e:destroy()
  end,
}

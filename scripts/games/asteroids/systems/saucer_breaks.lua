-- Destroys struck saucers, and awards points for saucers that were hit by a ship or its bullet. A mother ship first
-- loses its armour.
local tuning = require "tuning"
local blasts = require "lib.blasts"

return {
  phase = "post_update",
  after = { "hits" },
  query = { "saucer", "struck", "transform", "motion" },
  each = function(e)
    local t, mother = e.transform, e:has("mother_ship") and e.mother_ship
    local kind = mother and "mother_ship" or e.saucer.small and "saucer_small" or "saucer_big"
    if mother and mother.armour > 0 then
      mother.armour = mother.armour - 1
      e:remove("struck")
      return blasts.announce(e, 0.2, tuning.colours[kind])
    end
    blasts.announce(e, 0.7, tuning.colours[kind])
    if e.struck.scores then world.emit("scored", { points = tuning[kind .. "_points"], x = t.x, y = t.y }) end
    e:destroy()
  end,
}

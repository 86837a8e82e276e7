-- Turns struck ships into wrecks.
local tuning = require "tuning"
local blasts = require "lib.blasts"

return {
  phase = "post_update",
  after = { "hits" },
  query = { "ship", "struck", "transform", "motion" },
  each = function(e)
    blasts.announce(e, 1, tuning.colours.fire)
    e:remove("struck")
    e:enter("breaking")
  end,
}

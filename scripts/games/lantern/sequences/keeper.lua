-- What the keeper has to say depends on what has been found.
local helm = require "lib.helm"

return {
  { call = helm.take },
  { say = "The crypt is below the chapel. In the east of it lies an ember.", who = "Keeper",
    when = function() return not world.single.quest.fireball end },
  { say = "Fire wakes fire: try the braziers in the crypt.", who = "Keeper",
    when = function() return world.single.quest.fireball end },
  { call = helm.free },
}

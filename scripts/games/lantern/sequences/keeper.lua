-- The dialogue with the keeper, which depends on the items that the hero has found.
local helm = require "lib.helm"

return {
  { call = helm.take },
  { say = "@keeper.crypt", who = "@keeper.name",
    when = function() return not world.single.quest.fireball end },
  { say = "@keeper.fire", who = "@keeper.name",
    when = function() return world.single.quest.fireball end },
  { call = helm.free },
}

-- What the chests say.
local helm = require "lib.helm"

return {
  { call = helm.take },
  { wait = 0.9 },
  { say = function()
    return world.single.quest.key and "A heavy key of brass. It smells of smoke."
      or "You have found an ember: x throws balls of fire. Cold braziers wait for one like this."
  end },
  { call = helm.free },
}

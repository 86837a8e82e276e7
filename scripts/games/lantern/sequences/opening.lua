-- The opening cutscene. It controls the hero with `packet` events, as a player does with keys.
local helm = require "lib.helm"

return {
  { wait_for = function() return world.single.travel.stage == "none" end },
  { wait = 0.4 },
  helm.go(0, -1, 0.55),
  { say = "@keeper.opening.1", who = "@keeper.name" },
  { say = "@keeper.opening.2", who = "@keeper.name" },
  { say = "@keeper.opening.3", who = "@keeper.name" },
  { call = helm.free },
}

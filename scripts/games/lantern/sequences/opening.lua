-- How it begins. A scene leads the hero with packets, as a player does with keys.
local helm = require "lib.helm"

return {
  { wait_for = function() return world.single.travel.stage == "none" end },
  { wait = 0.4 },
  helm.go(0, -1, 0.55),
  { say = "The lamp is out. It has burned for a hundred years.", who = "Keeper" },
  { say = "The Snuffer came up from the crypt and took the flame.", who = "Keeper" },
  { say = "Take my lantern and my sword. Bring it back to us.", who = "Keeper" },
  { call = helm.free },
}

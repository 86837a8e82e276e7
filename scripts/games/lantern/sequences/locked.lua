-- Shows a message when the hero tries to open the great door without the key.
local helm = require "lib.helm"

return {
  { call = helm.take },
  { say = "@found.locked" },
  { call = function() world.single.play.door_tick = world.tick end },
  { call = helm.free },
}

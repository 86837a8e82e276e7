-- Shows a message about the item that the hero has found in a chest.
local helm = require "lib.helm"

return {
  { call = helm.take },
  { wait = 0.9 },
  { say = function()
    return world.single.quest.key and "@found.key" or tr("found.ember", { key = input.prompt "cast" })
  end },
  { call = helm.free },
}

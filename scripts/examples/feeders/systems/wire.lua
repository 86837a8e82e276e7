-- Stands in for a network socket: emits the packets of a recorded game (recorded.lua), each at its tick. A plugin that
-- reads a socket would emit the same event, and Shoal would record it.
local recorded = require "recorded"

return {
  phase = "input",
  update = function()
    local at = world.tick % recorded.length
    for i = 1, #recorded.tick do
      if recorded.tick[i] == at then
        world.emit("packet", { turn = recorded.turn[i], thrust = recorded.thrust[i] })
      end
    end
  end,
}

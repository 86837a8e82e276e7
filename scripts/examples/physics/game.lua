-- Pebbles fall past two mills onto a hanging bridge of planks. Bodies, colliders and joints are components of the
-- plugin `physics`. Pebbles glow after hard contacts (systems/glow.lua), and a click pushes them away
-- (systems/blast.lua).
local bridge = require "bridge"

return {
  title = "Physics: a mill and a bridge",
  width = 1280,
  height = 720,
  addons = { "caption" },
  plugins = { "physics" },
  start = function()
    world.single.physics.iterations = 20 -- more solver iterations make long chains stiffer
    world.spawn("eye")
    world.spawn("bank", { transform = { x = 90, y = 600 } })
    world.spawn("bank", { transform = { x = 1190, y = 600 } })
    world.spawn("mill", { transform = { x = 430, y = 300 }, rigid_body = { spin = 1.1 } })
    world.spawn("mill", { transform = { x = 850, y = 300 }, rigid_body = { spin = -1.1 } })
    bridge.hang(180, 540, 1100, 540, 26)
    for i = 0, 8 do
      world.spawn("peg", { transform = { x = 240 + i * 100, y = 140 + i % 2 * 46 } })
    end
  end,
}

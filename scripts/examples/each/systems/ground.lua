-- Draws the ground and a caption. Systems in phase "render" cannot change the world.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    draw.colour(0.3, 0.5, 0.9, 0.8)
    draw.line(0, 701, 1280, 701, 2)
    caption.draw "systems/bounce.lua is a function of one entity: the simplest system"
  end,
}

-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "3D meshes in a 2D game. Arrows, WASD or the mouse: look around"
  end,
}

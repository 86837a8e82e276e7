-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw("3D meshes in a 2D game. [prompt=left] [prompt=right] [prompt=up] [prompt=down] "
      .. "or the mouse: look around")
  end,
}

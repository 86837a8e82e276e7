-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw("A Tiled map. Arrows or WASD: walk   [prompt=plant]: plant flowers",
      { width = 640, height = 360, enlarged = true })
  end,
}

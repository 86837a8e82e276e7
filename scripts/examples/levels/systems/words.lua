-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw("A Tiled map. [prompt=go_x] [prompt=go_y]: walk   [prompt=plant]: plant flowers",
      { width = 640, height = 360, enlarged = true })
  end,
}

-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "Click: your own light   [prompt=day]: day or night"
  end,
}

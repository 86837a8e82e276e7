-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw("Lanterns loop, ferries go back and forth, and a courier gets one path after another.",
      { width = 960, height = 540 })
  end,
}

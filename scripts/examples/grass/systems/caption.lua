-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "The mouse parts the grass. Change its look in assets/meadow.grass"
  end,
}

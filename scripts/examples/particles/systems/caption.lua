-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "Click: an explosion   [prompt=snow]: snow on or off"
  end,
}

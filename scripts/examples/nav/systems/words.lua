-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "Two groups find their way through gates that open and close. Click: add or remove a house"
  end,
}

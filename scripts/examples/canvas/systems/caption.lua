-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "The lake shows what a second camera draws. [prompt=steer]: sail"
  end,
}

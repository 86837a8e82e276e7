-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "A knight and slimes from sheets. Arrows: walk   [prompt=strike]: strike the outlined slime"
  end,
}

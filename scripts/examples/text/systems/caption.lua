-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "Shaped text with any script, fonts, icons and markup. [prompt=again]: show the story again"
  end,
}

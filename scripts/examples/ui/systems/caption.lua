-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "Arrows and Enter, a pad, or the mouse. Every widget is an entity: SELECT * FROM button"
  end,
}

-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "Edit behaviours/mouse.lua and behaviours/cat.lua while it runs. Click: move the cheese"
  end,
}

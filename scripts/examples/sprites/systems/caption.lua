-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw("A knight and slimes from sheets. [prompt=left] [prompt=right] [prompt=up] [prompt=down]: walk   "
      .. "[prompt=strike]: strike the outlined slime")
  end,
}

-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "Seeds reach the speed of the wind: drag, wind_x. Click: rubble   [prompt=turn]: turn the wind"
  end,
}

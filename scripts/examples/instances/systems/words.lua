-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "Fountains with several nozzles: one component with many instances per entity"
  end,
}

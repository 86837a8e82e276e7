-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "12,000 stars, moved by loops in single precision that become SIMD"
  end,
}

-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "Four passes of shaders.lua. The sliders change their uniforms."
  end,
}

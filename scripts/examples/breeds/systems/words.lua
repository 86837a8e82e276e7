-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw "Breeds that are defined and changed while the game runs: world.define"
  end,
}

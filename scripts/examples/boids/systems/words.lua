-- Draws the caption.
local caption = require "caption"
local sea = require "lib.sea"

return {
  phase = "render",
  update = function()
    caption.draw("20,000 fish, each reacting to its neighbours. Hold the mouse button to frighten them.",
      { width = sea.WIDTH, height = sea.HEIGHT })
  end,
}

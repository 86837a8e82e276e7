-- Draws the caption.
local caption = require "caption"
local sky = require "sky"

return {
  phase = "render",
  update = function()
    caption.draw("2,000 starlings and a hawk. Each bird reads the columns of its neighbours.",
      { width = sky.WIDTH, height = sky.HEIGHT })
  end,
}

-- Draws the number of bursts and a caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw("One system emits the event burst. Three systems handle it: sparks, sky, count.",
      { left = world.single.sky.bursts .. " bursts" })
  end,
}

-- Draws the number of bursts and a caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.colour(1, 1, 1, 0.5)
    draw.text(world.single.sky.bursts .. " bursts", 24, 20, 22)
    caption.draw "One system emits the event burst. Three systems handle it: sparks, sky, count."
  end,
}

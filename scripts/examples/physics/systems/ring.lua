-- Draws a growing ring where the player clicked, and a caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    local blast = world.single.blast
    local left = 1 - blast.age / 0.4
    if left > 0 then
      draw.blend("add")
      draw.colour(1, 0.7, 0.4, left)
      draw.circle(blast.x, blast.y, 170 * (1 - left * left), false, 4)
    end
    caption.draw "Bodies, colliders and joints are components. Click: push the pebbles away"
  end,
}

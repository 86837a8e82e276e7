-- Draws the grass in the foreground, and a caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    draw.layer(5)
    for i = 0, 160 do
      local sway = math.sin(world.time * 0.8 + i * 0.6) * 6
      local height = 60 + 50 * math.abs(math.sin(i * 12.9898))
      draw.colour(0.008, 0.03 + 0.02 * math.abs(math.sin(i * 4.1)), 0.02, 1)
      draw.polygon({ i * 8 - 4, 720, i * 8 + sway + 6 * math.sin(i), 720 - height, i * 8 + 6, 720 })
    end
    caption.draw "A state is a set of components: dark, glowing, fading."
  end,
}

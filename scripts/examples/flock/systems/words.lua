-- Draws a caption over the scene.
local sky = require "sky"

return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#c8a090")
    draw.text("2,000 starlings and a hawk: neighbours as columns",
      sky.WIDTH / 2, sky.HEIGHT - 32, 17, "center")
  end,
}

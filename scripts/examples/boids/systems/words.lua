-- Draws a caption over the scene.
local sea = require "lib.sea"

return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#7fb8c8")
    draw.text("20,000 fish, each reacting to its neighbours.   Hold the mouse button to frighten them.",
      sea.WIDTH / 2, sea.HEIGHT - 32, 17, "center")
  end,
}

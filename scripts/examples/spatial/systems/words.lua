-- A caption.
local sky = require "sky"

return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#c8a090")
    draw.text("Two thousand starlings and a hawk: who is near whom, as columns",
      sky.WIDTH / 2, sky.HEIGHT - 32, 17, "center")
  end,
}

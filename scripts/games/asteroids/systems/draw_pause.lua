-- Draws the pause screen.
local tuning = require "tuning"
local strokes = require "lib.strokes"

local text = tuning.colours.text

return {
  phase = "render",
  after = { "draw_hud" },
  when = { game = { phase = "paused" } },
  update = function()
    local middle = tuning.width / 2
    draw.space "screen"
    draw.layer(12)
    draw.colour(0.005, 0.008, 0.025, 0.66)
    draw.rect(0, 0, tuning.width, tuning.height, true)
    draw.colour(text[1], text[2], text[3], 1)
    strokes.draw("PAUSED", middle, 280, 72, "center")
    draw.colour(text[1], text[2], text[3], 0.7)
    strokes.draw("P  RESUME", middle, 412, 18, "center")
    strokes.draw("Q  QUIT TO TITLE", middle, 448, 18, "center")
  end,
}

-- Announces the next wave: the text fades in, shrinks and fades out above a line that grows.
local tuning = require "tuning"
local strokes = require "lib.strokes"

local text = tuning.colours.text

return {
  phase = "render",
  after = { "draw_hud" },
  when = { game = { phase = { "playing", "demo" } } },
  update = function()
    local wave = world.single.wave
    if wave.wait <= 0 then return end
    local pause = wave.number == 1 and tuning.pause_before_first_wave or tuning.pause_between_waves
    local progress = 1 - wave.wait / pause -- 0 … 1
    local opacity = math.max(0, math.min(1, progress * 6, (1 - progress) * 4))
    local size = 54 + 26 * math.exp(-progress * 14)
    draw.space "screen"
    draw.layer(11)
    draw.colour(text[1], text[2], text[3], opacity)
    strokes.draw(tr("wave", { n = wave.number }), tuning.width / 2, 210 - size / 2, size, "center")
    draw.colour(text[1], text[2], text[3], opacity * 0.5)
    local reach = 260 * math.min(1, progress * 3)
    draw.line(tuning.width / 2 - reach, 264, tuning.width / 2 + reach, 264, 2)
    if wave.number % tuning.mother_ship_every == 0 then
      strokes.draw(tr "mother_ship", tuning.width / 2, 284, 22, "center")
    end
  end,
}

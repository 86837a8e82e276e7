-- Draws score, reserve ships, best score and wave along the top, and the prompt of the demo.
local tuning = require "tuning"
local strokes = require "lib.strokes"
local looks = require "lib.looks"

local text, ship, gold = tuning.colours.text, tuning.colours.ship, tuning.colours.gold
local hull = looks.numbers(looks.ship)

-- Draws the hull's outline at x, y, nose up.
local function draw_little_ship(x, y, scale)
  local points = {}
  for i = 1, #hull, 2 do points[i], points[i + 1] = x + hull[i + 1] * scale, y - hull[i] * scale end
  draw.polygon(points, false, 2)
end

return {
  phase = "render",
  when = { game = { phase = { "demo", "playing", "paused", "over" } } },
  update = function()
    local score, wave = world.single.score, world.single.wave
    draw.space "screen"
    draw.layer(9) -- dims the rocks that drift behind the display
    for i = 1, 8 do
      draw.colour(0.010, 0.012, 0.030, 0.13)
      draw.rect(0, 0, tuning.width, 40 + 10 * i, true)
    end
    draw.layer(10)
    draw.colour(text[1], text[2], text[3], 0.95)
    strokes.draw(string.format("%02d", math.floor(score.shown)), 40, 34, 30)
    draw.colour(text[1], text[2], text[3], 0.55)
    if score.record > 0 then
      local best = score.points > score.record and "NEW BEST" or string.format("BEST %d", score.record)
      strokes.draw(best, tuning.width / 2, 36, 14, "center")
    end
    if wave.number > 0 then strokes.draw(string.format("WAVE %d", wave.number), tuning.width - 40, 36, 14, "right") end
    draw.colour(ship[1], ship[2], ship[3], 0.9)
    for i = 1, math.min(score.lives, 8) do draw_little_ship(38 + i * 24, 96, 0.72) end
    if score.lives > 8 then strokes.draw(string.format("+%d", score.lives - 8), 62 + 8 * 24, 89, 14) end
    if world.single.game.phase == "demo" and world.time % 1.2 < 0.85 then
      draw.colour(gold[1], gold[2], gold[3], 0.9)
      strokes.draw("DEMO - PRESS FIRE", tuning.width / 2, tuning.height - 60, 20, "center")
    end
  end,
}

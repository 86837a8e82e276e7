-- Draws the game-over screen: the final score and how to restart.
local tuning = require "tuning"
local plates = require "lib.plates"
local strokes = require "lib.strokes"

local text, gold, red = tuning.colours.text, tuning.colours.gold, tuning.colours.saucer_small

return {
  phase = "render",
  after = { "draw_hud" },
  when = { game = { phase = "over" } },
  update = function()
    local middle, clock, score = tuning.width / 2, world.single.game.clock, world.single.score
    local opacity = math.min(1, clock * 1.5)
    draw.space "screen"
    draw.layer(9) -- dims the rocks, which continue to drift
    draw.colour(0.006, 0.008, 0.022, 0.5 * opacity)
    draw.rect(0, 0, tuning.width, tuning.height, true)
    plates.draw(middle - 430, 220, 860, 370, 0.9 * opacity)
    draw.layer(11)
    local heading = tr "menu.game_over"
    local size = math.min(92, 92 * 820 / strokes.width(heading, 92))
    for depth = 4, 1, -1 do
      draw.colour((0.5 - 0.09 * depth) * opacity, (0.12 - 0.02 * depth) * opacity, (0.16 - 0.03 * depth) * opacity,
        opacity)
      strokes.draw(heading, middle, 220 + depth * 5, size, "center", 4)
    end
    draw.colour(red[1], red[2] + 0.2, red[3] + 0.15, opacity)
    strokes.draw(heading, middle, 220, size, "center", 5)
    draw.colour(text[1], text[2], text[3], opacity)
    strokes.draw(tr("menu.score", { n = score.points }), middle, 366, 34, "center")
    if score.record > 0 and score.points > score.record then
      draw.colour(gold[1], gold[2], gold[3], opacity * (0.75 + 0.25 * math.sin(clock * 6)))
      strokes.draw(tr "over.new_best", middle, 424, 22, "center")
    elseif score.record > 0 then
      draw.colour(text[1], text[2], text[3], 0.6 * opacity)
      strokes.draw(tr("menu.best", { n = settings.best }), middle, 424, 20, "center")
    end
    if clock > tuning.over_settles and clock % 1.1 < 0.75 then
      draw.colour(gold[1], gold[2], gold[3], 1)
      strokes.draw(tr("over.again", { key = input.prompt("start") }), middle, 510, 26, "center")
    end
    if clock > tuning.over_settles and not players.in_match() then
      draw.colour(text[1], text[2], text[3], 0.6)
      strokes.draw(tr("over.title", { key = input.prompt("back") }), middle, 562, 16, "center")
    end
  end,
}

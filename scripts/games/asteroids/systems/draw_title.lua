-- Draws the title screen: the name, the best score and the controls, around the menu.
local tuning = require "tuning"
local strokes = require "lib.strokes"

local text, gold, ship = tuning.colours.text, tuning.colours.gold, tuning.colours.ship
local keys = {
  { "TURN", "LEFT RIGHT / A D", "STICK" },
  { "THRUST", "UP / W", "B / RT" },
  { "FIRE", "SPACE", "A" },
  { "HYPERSPACE", "DOWN / S", "Y" },
  { "PAUSE", "P", "START" },
}

return {
  phase = "render",
  after = { "draw_hud" },
  when = { game = { phase = "title" } },
  update = function()
    local middle, clock = tuning.width / 2, world.single.game.clock
    draw.space "screen"
    draw.layer(11)
    for depth = 4, 1, -1 do -- offset copies, which make the letters look three-dimensional
      draw.colour(0.20 - 0.035 * depth, 0.20 - 0.04 * depth, 0.62 - 0.11 * depth)
      strokes.draw("ROCKFALL", middle, 150 + depth * 5, 112, "center", 4)
    end
    local glow = 1 + 0.12 * math.sin(clock * 3)
    draw.colour(ship[1] * glow, ship[2] * glow, ship[3] * glow)
    strokes.draw("ROCKFALL", middle, 150, 112, "center", 5)
    for i, line in ipairs(keys) do
      local y = 532 + i * 28
      draw.colour(text[1], text[2], text[3], 0.5)
      strokes.draw(line[1], middle - 150, y, 14, "right")
      draw.colour(text[1], text[2], text[3], 0.9)
      strokes.draw(line[2], middle - 110, y, 14)
      strokes.draw(line[3], middle + 190, y, 14)
    end
    if settings.best > 0 then
      draw.colour(gold[1], gold[2], gold[3], 0.9)
      strokes.draw(string.format("BEST %d", settings.best), middle, 308, 18, "center")
    end
  end,
}

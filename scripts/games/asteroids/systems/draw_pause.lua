-- Draws the pause screen: the heading above the menu, and the ships, which would be hard to find in the dimmed field.
local tuning = require "tuning"
local strokes = require "lib.strokes"
local looks = require "lib.looks"
local crew = require "lib.crew"

local text = tuning.colours.text

local function draw_ship(transform, player)
  local points, cos, sin = {}, math.cos(transform.angle), math.sin(transform.angle)
  local hull, ship = looks.numbers(crew.get_hull(player)), crew.get_colour(player)
  for i = 1, #hull, 2 do
    points[i] = transform.x + hull[i] * cos - hull[i + 1] * sin
    points[i + 1] = transform.y + hull[i] * sin + hull[i + 1] * cos
  end
  draw.colour(ship[1], ship[2], ship[3], 1)
  draw.polygon(points, false, 3)
  draw.colour(ship[1], ship[2], ship[3], 0.5)
  draw.circle(transform.x, transform.y, 40, false, 2)
end

return {
  phase = "render",
  after = { "draw_hud" },
  when = { game = { phase = "paused" } },
  query = { "ship", "intent", "transform" },
  update = function(q)
    local middle, menu = tuning.width / 2, world.find("pause menu")
    draw.space "screen"
    draw.layer(12)
    draw.colour(0.005, 0.008, 0.025, 0.66)
    draw.rect(0, 0, tuning.width, tuning.height, true)
    for i = 1, q.count do draw_ship(q.entity[i].transform, q.ship.player[i]) end
    draw.colour(text[1], text[2], text[3], 1)
    if not menu or world.count("shoal.options") > 0 then return end -- the heading would show beside the options
    strokes.draw(tr "menu.paused", middle, tuning.height / 2 + menu.transform.y - 150, 64, "center")
  end,
}

-- Draws score, reserve ships, best score and wave along the top. With several players, draws their ships and names
-- along the bottom, and their numbers above the ships. In the demo, draws the prompt.
local tuning = require "tuning"
local strokes = require "lib.strokes"
local plates = require "lib.plates"
local looks = require "lib.looks"
local crew = require "lib.crew"
local menu = require "menu"

local text, ship, gold = tuning.colours.text, tuning.colours.ship, tuning.colours.gold

local MIN_OPACITY = 0.2
local REACH = 80 -- distance in pixels at which an approaching ship begins to fade a part of the display

-- Dims rocks and saucers slightly along the upper edge.
local function dim_top()
  draw.layer(9)
  for i = 1, 8 do
    draw.colour(0.010, 0.012, 0.030, 0.07)
    draw.rect(0, 0, tuning.width, 40 + 10 * i, true)
  end
end

-- Draws a plate behind a part of the display. Returns the opacity of this part, which fades while a ship is behind it.
local function draw_plate(x, y, width, height)
  local opacity = 1
  for e in world.each("ship", "intent", "transform") do
    local dx = math.max(x - e.transform.x, 0, e.transform.x - x - width)
    local dy = math.max(y - e.transform.y, 0, e.transform.y - y - height)
    opacity = math.min(opacity, math.max(MIN_OPACITY, math.sqrt(dx * dx + dy * dy) / REACH))
  end
  draw.layer(9)
  plates.draw(x, y, width, height, 0.85 * opacity)
  draw.layer(10)
  return opacity
end

-- Draws the outline of a player's ship at x, y, nose up.
local function draw_little_ship(number, x, y, scale)
  local points, hull = {}, looks.numbers(crew.get_hull(number))
  for i = 1, #hull, 2 do points[i], points[i + 1] = x + hull[i + 1] * scale, y - hull[i] * scale end
  draw.polygon(points, false, 2)
end

local function draw_score(points, lives)
  local label = string.format("%02d", points)
  local width = math.max(strokes.width(label, 30), 24 * math.min(lives, 8))
  local opacity = draw_plate(40, 34, width, lives > 0 and 70 or 30)
  draw.colour(text[1], text[2], text[3], 0.95 * opacity)
  strokes.draw(label, 40, 34, 30)
  draw.colour(ship[1], ship[2], ship[3], 0.9 * opacity)
  for i = 1, math.min(lives, 8) do draw_little_ship(1, 38 + i * 24, 96, 0.72) end
  if lives > 8 then strokes.draw(string.format("+%d", lives - 8), 62 + 8 * 24, 89, 14) end
end

-- Draws a small label at the top. x: left edge of the label.
local function draw_label(label, x)
  local opacity = draw_plate(x, 36, strokes.width(label, 14), 14)
  draw.colour(text[1], text[2], text[3], 0.75 * opacity)
  strokes.draw(label, x, 36, 14)
end

-- Draws the players along the bottom; players without a ship are dim.
local function draw_crew(list)
  local is_flying, width = {}, math.min(190, (tuning.width - 80) / #list)
  for e in world.each("ship", "intent") do is_flying[e.ship.player] = true end
  for i, player in ipairs(list) do
    local x, colour = tuning.width / 2 + (i - (#list + 1) / 2) * width, crew.get_colour(player.number)
    draw.colour(colour[1], colour[2], colour[3], is_flying[player.number] and 0.95 or 0.35)
    draw_little_ship(player.number, x - width / 2 + 20, tuning.height - 30, 0.72)
    local name = menu.name_player(player.number) or tr("menu.player", { n = player.number })
    strokes.draw(name, x - width / 2 + 38, tuning.height - 35, 11)
  end
end

-- Draws the number of each player above the ship.
local function draw_numbers()
  for e in world.each("ship", "intent", "transform") do
    local colour = crew.get_colour(e.ship.player)
    draw.colour(colour[1], colour[2], colour[3], 0.8)
    strokes.draw(tostring(e.ship.player), e.transform.x, e.transform.y - 40, 11, "center")
  end
end

return {
  phase = "render",
  when = { game = { phase = { "demo", "playing", "paused", "over" } } },
  update = function()
    local score, wave = world.single.score, world.single.wave
    local number = tr("wave", { n = wave.number })
    local best = score.record > 0 and (score.points > score.record and tr "new_best"
      or tr("menu.best", { n = score.record }))
    draw.space "screen"
    dim_top()
    draw_score(math.floor(score.shown), score.lives)
    if best then draw_label(best, (tuning.width - strokes.width(best, 14)) / 2) end
    if wave.number > 0 then draw_label(number, tuning.width - 40 - strokes.width(number, 14)) end
    local phase, list = world.single.game.phase, players.list()
    if #list > 1 and phase ~= "demo" then
      draw_crew(list)
      draw_numbers()
    end
    if phase == "demo" and world.time % 1.2 < 0.85 then
      draw.colour(gold[1], gold[2], gold[3], 0.9)
      strokes.draw(tr "demo", tuning.width / 2, tuning.height - 60, 20, "center")
    end
  end,
}

-- Draws roads between the towns, and a tower for each kind of goods that a trader owns, in the colour of the town that
-- produces it. The size of the disc shows the trader's gold.
local caption = require "caption"
local towns = require "towns"
local data = shoal.plugins.data
local colours = {}
for _, town in ipairs(towns) do
  colours[town.good] = town.colour
end

local function draw_towers(e, x, y)
  local i, place = 1, 0
  local path = data.path(e, i)
  while path ~= "" do
    local colour = colours[path:match("^goods%.(.+)")]
    if colour then
      draw.colour(colour[1], colour[2], colour[3], 1)
      local high = 3 * data.get(e, path)
      draw.rect(x - 10 + place * 8, y - 14 - high, 6, high)
      place = place + 1
    end
    i = i + 1
    path = data.path(e, i)
  end
end

local function draw_roads()
  draw.layer(-2)
  draw.colour(0.5, 0.4, 0.28, 0.22)
  for i = 1, #towns do
    for j = 1, i - 1 do draw.line(towns[i].x, towns[i].y, towns[j].x, towns[j].y, 6) end
  end
  draw.layer(-1)
  for _, town in ipairs(towns) do
    local colour = town.colour
    draw.colour(colour[1] * 0.22, colour[2] * 0.22, colour[3] * 0.22)
    draw.circle(town.x, town.y, 34)
  end
  draw.layer(0)
end

return {
  phase = "render",
  queries = { traders = { "transform", "trader" }, towns = { "transform", "town" } },
  update = function(q)
    draw_roads()
    local traders = q.traders
    for i = 1, traders.count do
      local e, x, y = traders.entity[i], traders.transform.x[i], traders.transform.y[i]
      draw_towers(e, x, y)
      draw.colour(1, 0.8, 0.3, 0.7)
      draw.circle(x, y, 8 + math.sqrt(data.get(e, "gold")) * 0.8, true)
    end
    draw.colour(0.9, 0.85, 0.75, 0.9)
    for i = 1, q.towns.count do
      local town = towns[q.towns.town.number[i]]
      draw.text(town.good, town.x, town.y - 11, 20, "center")
    end
    caption.draw "Goods are not fields: the plugin data stores them by path, such as goods.silk."
  end,
}

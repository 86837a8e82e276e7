-- Traders travel between towns with their goods. The data plugin stores what each trader owns by path, such as "gold",
-- "goods.silk" and "goods.salt", without declared fields (systems/trade.lua, systems/look.lua).
local towns = require "towns"

return {
  title = "Data: traders",
  width = 1280,
  height = 720,
  addons = { "caption" },
  plugins = { "data" },
  start = function()
    world.spawn("eye")
    for i, town in ipairs(towns) do
      world.spawn("town", { transform = { x = town.x, y = town.y }, town = { number = i },
        shape = { colour = town.colour } })
    end
    for _ = 1, 24 do
      local from = towns[world.random(#towns)]
      world.spawn("trader", { transform = { x = from.x, y = from.y }, trader = { goal = world.random(#towns) } })
    end
  end,
}

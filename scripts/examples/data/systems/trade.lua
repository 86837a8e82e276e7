-- Moves the traders. A trader who arrives in a town sells all goods from other towns, and buys the goods that this town
-- produces.
local towns = require "towns"
local data = shoal.plugins.data

local function sell(e, here)
  for _, town in ipairs(towns) do
    local path = "goods." .. town.good
    local many = data.get(e, path)
    if many and town.good ~= here then
      data.add(e, "gold", many * 2)
      data.set(e, path, nil)
      data.add(e, "journeys." .. town.good, 1)
    end
  end
end

local function buy(e, here)
  local many = math.min(8, math.floor(data.get(e, "gold") / 2))
  if many > 0 then
    data.add(e, "gold", -many)
    data.add(e, "goods." .. here, many)
  end
end

return {
  query = { "transform", "trader" },
  update = function(q, dt)
    local x, y, goal, speed = q.transform.x, q.transform.y, q.trader.goal, q.trader.speed
    for i = 1, q.count do
      local town = towns[goal[i]]
      local dx, dy = town.x - x[i], town.y - y[i]
      local far = math.sqrt(dx * dx + dy * dy)
      if far < 40 then
        sell(q.entity[i], town.good)
        buy(q.entity[i], town.good)
        goal[i] = world.random(#towns)
        speed[i] = world.random(70, 150)
      else
        x[i], y[i] = x[i] + dx / far * speed[i] * dt, y[i] + dy / far * speed[i] * dt
      end
    end
  end,
}

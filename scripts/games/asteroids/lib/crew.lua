-- The players' ships: their outlines, colours and positions in the field.
local tuning = require "tuning"
local looks = require "lib.looks"

local M = {}

---@param number integer the player's number; 0 in the demo
---@return string points outline of the player's ship
function M.get_hull(number) return looks.hulls[math.max(1, number)] end

-- Returns the colour of a player's ship. The ship of a single player has the colour of the game; with
-- several players, each ship has its player's colour, brightened so that it glows.
---@param number integer the player's number; 0 in the demo
---@return number[] colour red, green, blue
function M.get_colour(number)
  local list = players.list()
  for _, player in ipairs(#list > 1 and list or {}) do
    if player.number == number then
      local colour = player.colour
      return { 0.25 + 1.1 * colour.r, 0.25 + 1.1 * colour.g, 0.25 + 1.1 * colour.b }
    end
  end
  return tuning.colours.ship
end

-- Returns the start position of a player's ship: the middle of the field or, with several players, in a row around it.
---@param number integer
---@return number x
---@return number y
function M.get_start(number)
  local list = players.list()
  local x = tuning.width / 2
  for i, player in ipairs(list) do
    if player.number == number then x = x + (i - (#list + 1) / 2) * tuning.ship_distance end
  end
  return x, tuning.height / 2
end

-- Returns the distance from x, y to the edge of the nearest hazard, now or half a second from now.
---@param hazards table rows of a query with `transform`, `motion` and `hazard`
---@param x number
---@param y number
---@return number pixels
function M.measure_clearance(hazards, x, y)
  local hx, hy, radius = hazards.transform.x, hazards.transform.y, hazards.hazard.radius
  local vx, vy = hazards.motion.vx, hazards.motion.vy
  local clearance = math.huge
  for i = 1, hazards.count do
    for ahead = 0, 0.5, 0.5 do
      local dx, dy = hx[i] + vx[i] * ahead - x, hy[i] + vy[i] * ahead - y
      clearance = math.min(clearance, math.sqrt(dx * dx + dy * dy) - radius[i])
    end
  end
  return clearance
end

-- Returns the position on a grid that is farthest from all hazards.
---@param hazards table rows of a query with `transform`, `motion` and `hazard`
---@return number x
---@return number y
function M.find_safest_place(hazards)
  local best, best_x, best_y = -math.huge, tuning.width / 2, tuning.height / 2
  for column = 1, 7 do
    for row = 1, 3 do
      local x, y = tuning.width * column / 8, tuning.height * (row + 0.25) / 4.5
      local clearance = M.measure_clearance(hazards, x, y)
      if clearance > best then best, best_x, best_y = clearance, x, y end
    end
  end
  return best_x, best_y
end

-- Spawns a player's ship.
---@param number integer
---@param x number
---@param y number
---@return shoal.Entity
function M.spawn_ship(number, x, y)
  local ship = world.spawn("player_ship", { ship = { player = number }, transform = { x = x, y = y } })
  M.paint(ship)
  world.single.score.crew = bit.bor(world.single.score.crew, bit.lshift(1, number - 1))
  return ship
end

-- Gives a ship in flight the outline and the colour of its player. Entering a state resets them.
---@param ship shoal.Entity
function M.paint(ship)
  local number = ship.ship.player
  local colour, hull = M.get_colour(number), M.get_hull(number)
  if ship:has("shape") then ship:set("shape", { points = hull, colour = { colour[1], colour[2], colour[3], 1 } }) end
  local face = ship:child("face")
  if face then
    local dark = { colour[1] * 0.13, colour[2] * 0.21, colour[3] * 0.26, 0.95 }
    face:set("shape", { points = hull, colour = dark })
  end
end

return M

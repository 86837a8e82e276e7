-- Builds rocks: each has a random outline, a dark face that hides the stars, and faint ridges.
local tuning = require "tuning"

local M = {}

-- Returns a random outline around 0,0. The outline depends only on world.random, so a replay has the same rocks.
---@param radius number
---@return string[] corners each "x,y"
local function create_outline(radius)
  local corners = radius > 40 and 12 or radius > 20 and 10 or 8
  local points = {}
  for i = 1, corners do
    local angle = (i - 1 + (world.random() - 0.5) * 0.6) * 2 * math.pi / corners
    local reach = radius * (0.78 + 0.34 * world.random())
    if world.random() < 0.18 then reach = reach * 0.74 end
    points[i] = string.format("%.1f,%.1f", math.cos(angle) * reach, math.sin(angle) * reach)
  end
  return points
end

-- Returns the lines from three of the corners `points` to a point on the face, as a single polyline.
---@param points string[]
---@param radius number
---@return string points
local function create_ridges(points, radius)
  local angle, first_corner = world.random() * 2 * math.pi, world.random(#points)
  local peak = string.format("%.1f,%.1f", math.cos(angle) * radius * 0.25, math.sin(angle) * radius * 0.25)
  local function get_corner(share) return points[(first_corner + math.floor(#points * share)) % #points + 1] end
  return table.concat({ get_corner(0), peak, get_corner(0.36), peak, get_corner(0.68) }, " ")
end

---@param size "large"|"medium"|"small"
---@param x number
---@param y number
---@param vx number
---@param vy number
function M.spawn(size, x, y, vx, vy)
  local radius, colour = tuning.rocks[size].radius, tuning.colours[size]
  local corners = create_outline(radius)
  local points = table.concat(corners, " ")
  local rock = world.spawn("rock_" .. size, {
    transform = { x = x, y = y, angle = world.random() * 2 * math.pi },
    motion = { vx = vx, vy = vy, spin = (world.random() - 0.5) * 1.6 },
    shape = { points = points },
  })
  world.spawn("rock_face", { transform = { parent = rock }, shape = { points = points } })
  world.spawn("rock_ridges", {
    transform = { parent = rock },
    shape = { points = create_ridges(corners, radius), colour = { colour[1], colour[2], colour[3], 0.28 } },
  })
end

-- Returns the squared distance from x, y to the nearest ship, or to the middle if there are no ships.
local function measure_distance(ships, x, y)
  local dx, dy = x - tuning.width / 2, y - tuning.height / 2
  local nearest = ships.count == 0 and dx * dx + dy * dy or math.huge
  for i = 1, ships.count do
    dx, dy = x - ships.transform.x[i], y - ships.transform.y[i]
    nearest = math.min(nearest, dx * dx + dy * dy)
  end
  return nearest
end

-- Spawns a large drifting rock just outside an edge of the field. Tries up to 20 positions to find one that is more
-- than 260 pixels from all ships.
---@param ships table rows of a query with `transform`
function M.spawn_at_edge(ships)
  local kind = tuning.rocks.large
  local x, y
  for _ = 1, 20 do
    x, y = world.random() * tuning.width, world.random() * tuning.height
    if world.random() < 0.5 then x = x < tuning.width / 2 and -kind.radius or tuning.width + kind.radius
    else y = y < tuning.height / 2 and -kind.radius or tuning.height + kind.radius end
    if measure_distance(ships, x, y) > 260 * 260 then break end
  end
  local angle = world.random() * 2 * math.pi
  local speed = kind.speed + (world.random() - 0.5) * 2 * kind.spread
  speed = speed * (1 + tuning.faster_each_wave * (world.single.wave.number - 1))
  M.spawn("large", x, y, math.cos(angle) * speed, math.sin(angle) * speed)
end

return M

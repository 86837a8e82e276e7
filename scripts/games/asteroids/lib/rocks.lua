-- Makes rocks: an outline of its own for each, and a dark face behind it that hides the stars.
local tuning = require "tuning"

local M = {}

-- An irregular outline around 0,0. Drawn from the world's random stream, so a replay has the same rocks.
---@param radius number
---@return string points
local function outline(radius)
  local corners = radius > 40 and 12 or radius > 20 and 10 or 8
  local points = {}
  for i = 1, corners do
    local angle = (i - 1 + (world.random() - 0.5) * 0.6) * 2 * math.pi / corners
    local reach = radius * (0.78 + 0.34 * world.random())
    if world.random() < 0.18 then reach = reach * 0.74 end
    points[i] = string.format("%.1f,%.1f", math.cos(angle) * reach, math.sin(angle) * reach)
  end
  return table.concat(points, " ")
end

---@param size "large"|"medium"|"small"
---@param x number
---@param y number
---@param vx number
---@param vy number
function M.spawn(size, x, y, vx, vy)
  local points = outline(tuning.rocks[size].radius)
  local rock = world.spawn("rock_" .. size, {
    transform = { x = x, y = y, angle = world.random() * 2 * math.pi },
    motion = { vx = vx, vy = vy, spin = (world.random() - 0.5) * 1.6 },
    shape = { points = points },
  })
  world.spawn("rock_face", { transform = { parent = rock }, shape = { points = points } })
end

-- A large rock near an edge of the field, drifting.
---@param away_x number the place to stay away from
---@param away_y number
function M.spawn_at_edge(away_x, away_y)
  local kind = tuning.rocks.large
  local x, y
  for _ = 1, 20 do
    x, y = world.random() * tuning.width, world.random() * tuning.height
    if world.random() < 0.5 then x = x < tuning.width / 2 and -kind.radius or tuning.width + kind.radius
    else y = y < tuning.height / 2 and -kind.radius or tuning.height + kind.radius end
    local dx, dy = x - away_x, y - away_y
    if dx * dx + dy * dy > 260 * 260 then break end
  end
  local angle = world.random() * 2 * math.pi
  local speed = kind.speed + (world.random() - 0.5) * 2 * kind.spread
  speed = speed * (1 + tuning.faster_each_wave * (world.single.wave.number - 1))
  M.spawn("large", x, y, math.cos(angle) * speed, math.sin(angle) * speed)
end

return M

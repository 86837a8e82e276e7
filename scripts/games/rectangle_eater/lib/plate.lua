-- The plate on which rectangles lie: its edges, and new rectangles.
local looks = assets.json "looks.json"
local M = {}
-- AWAY: minimum distance in pixels between an eater and a rectangle that appears; LARGEST: maximum size; LARGE,
-- PER_COURSE: share of rectangles that are larger than all eaters, and its increase per course
local AWAY, LARGEST, LARGE, PER_COURSE = 190, 54, 0.03, 0.03
-- Sizes in pixels. SMALLEST: size of a rectangle without health; PER_HEALTH: additional size per point of health.
M.SMALLEST, M.PER_HEALTH = 7, 0.36
-- STARVING: health below which an eater is drawn in red and gets crumbs; NEAR: minimum distance between crumbs and
-- eaters
M.STARVING = 25
local NEAR = 100

-- Keeps a rectangle inside the frame. `position`: its position; `extent`: its component `collision`, if it has one
function M.keep(position, extent)
  local width, height = extent and extent.size * extent.aspect or 0, extent and extent.size / extent.aspect or 0
  position.x = math.max(looks.left + width, math.min(looks.right - width, position.x))
  position.y = math.max(looks.top + height, math.min(looks.bottom - height, position.y))
end

-- Returns the position of the eater nearest to `position`, and its distance; nil if there are no eaters.
function M.nearest_eater(position)
  local nearest, min_distance
  for e in world.each("playerControlled", "position") do
    local dx, dy = e.position.x - position.x, e.position.y - position.y
    local distance = math.sqrt(dx * dx + dy * dy)
    if not nearest or distance < min_distance then nearest, min_distance = e.position, distance end
  end
  return nearest, min_distance
end

-- Spawns a rectangle. A rectangle without health does not decay.
function M.spawn(x, y, size, aspect, colors, decays)
  local position, extent = { x = x, y = y }, { size = size, aspect = aspect }
  local health = { value = (size - M.SMALLEST) / M.PER_HEALTH }
  M.keep(position, extent)
  local e = world.spawn("morsel", { position = position, collision = extent,
    appearance = { size = size, aspect = aspect, colors = colors }, health = decays and health })
  world.tween(e, "appearance.grown", 1, 0.2, "quad_out", { from = 0 })
end

local function find_largest_eater()
  local largest = 0
  for e in world.each("playerControlled", "collision") do largest = math.max(largest, e.collision.size) end
  return largest
end

-- Returns a random size. Most rectangles are small or decay soon; some are larger than the eaters.
local function choose_size(decays)
  if not decays then return 10 + 8 * world.random() end
  local size = 11 + 33 * world.random() * world.random() + 10 * world.random()
  if world.random() > LARGE + PER_COURSE * world.single.match.course then return size end
  return math.max(size, math.min(LARGEST, find_largest_eater() * (1.15 + 0.4 * world.random())))
end

-- Returns the size of the smallest starving eater; nil if none starves.
function M.find_starving()
  local smallest
  for e in world.each("playerControlled", "collision", "health") do
    if e.health.value < M.STARVING then smallest = math.min(smallest or e.collision.size, e.collision.size) end
  end
  return smallest
end

-- Spawns a random rectangle, unless its position would be too close to an eater. Four of five decay; the fifth is
-- small. While an eater starves, new rectangles are crumbs that it can eat.
function M.serve()
  local position = { x = looks.left + 1252 * world.random(), y = looks.top + 628 * world.random() }
  local _, distance = M.nearest_eater(position)
  local starving = M.find_starving()
  if distance and distance < (starving and NEAR or AWAY) then return end
  if starving then
    M.spawn(position.x, position.y, starving * (0.5 + 0.35 * world.random()), 1, looks.colors[world.random(3)], false)
    return
  end
  local decays = world.random() < 0.8
  M.spawn(position.x, position.y, choose_size(decays), 0.7 + 0.7 * world.random(), looks.colors[world.random(3)],
    decays)
end

return M

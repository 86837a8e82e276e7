-- The plate on which rectangles lie: its edges, and new rectangles.
local looks = assets.json "looks.json"
local M = {}
local AWAY = 190 -- minimum distance in pixels between an eater and a rectangle that appears
-- In pixels. SMALLEST: size of a rectangle without health; PER_HEALTH: additional size per point of health
M.SMALLEST, M.PER_HEALTH = 7, 0.36

-- Keeps a rectangle inside the frame. `position`: its position; `extent`: its component `collision`, if it has one
function M.keep(position, extent)
  local width, height = extent and extent.size * extent.aspect or 0, extent and extent.size / extent.aspect or 0
  position.x = math.max(looks.left + width, math.min(looks.right - width, position.x))
  position.y = math.max(looks.top + height, math.min(looks.bottom - height, position.y))
end

-- Returns the position of the eater nearest to `position`, and its distance, or nil without eaters.
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

-- Spawns a random rectangle, or none if its position would be too close to an eater. Four of five decay; the others are
-- small.
function M.serve()
  local position = { x = looks.left + 1252 * world.random(), y = looks.top + 628 * world.random() }
  local _, distance = M.nearest_eater(position)
  if distance and distance < AWAY then return end
  local decays = world.random() < 0.8
  local size = decays and 11 + 33 * world.random() * world.random() + 10 * world.random() or 10 + 8 * world.random()
  M.spawn(position.x, position.y, size, 0.7 + 0.7 * world.random(), looks.colors[world.random(3)], decays)
end

return M

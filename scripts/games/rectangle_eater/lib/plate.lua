-- The plate on which rectangles lie: its edges, and new rectangles.
local looks = assets.json "looks.json"
local M = {}
local AWAY = 190 -- minimum distance in pixels between an eater and a rectangle that appears
M.SMALLEST, M.PER_HEALTH = 7, 0.36 -- size in pixels of a rectangle without health, and for each point of health

-- Keeps a rectangle inside the frame. `at`: its position; `extent`: its component `collision`, if it has one
function M.keep(at, extent)
  local width, height = extent and extent.size * extent.aspect or 0, extent and extent.size / extent.aspect or 0
  at.x = math.max(looks.left + width, math.min(looks.right - width, at.x))
  at.y = math.max(looks.top + height, math.min(looks.bottom - height, at.y))
end

-- Returns the position of the eater nearest to `at`, and its distance, or nil without eaters.
function M.nearest_eater(at)
  local nearest, min_far
  for e in world.each("playerControlled", "position") do
    local dx, dy = e.position.x - at.x, e.position.y - at.y
    local far = math.sqrt(dx * dx + dy * dy)
    if not nearest or far < min_far then nearest, min_far = e.position, far end
  end
  return nearest, min_far
end

-- Spawns a rectangle. One without health does not decay.
function M.spawn(x, y, size, aspect, colors, decays)
  local at, extent = { x = x, y = y }, { size = size, aspect = aspect }
  local health = { value = (size - M.SMALLEST) / M.PER_HEALTH }
  M.keep(at, extent)
  local e = world.spawn("morsel", { position = at, collision = extent,
    appearance = { size = size, aspect = aspect, colors = colors }, health = decays and health })
  world.tween(e, "appearance.grown", 1, 0.2, "quad_out", { from = 0 })
end

-- Spawns a random rectangle, or none if its position would be too close to an eater. Four of five decay; the others are
-- small.
function M.serve()
  local at = { x = looks.left + 1252 * world.random(), y = looks.top + 628 * world.random() }
  local _, far = M.nearest_eater(at)
  if far and far < AWAY then return end
  local decays = world.random() < 0.8
  local size = decays and 11 + 33 * world.random() * world.random() + 10 * world.random() or 10 + 8 * world.random()
  M.spawn(at.x, at.y, size, 0.7 + 0.7 * world.random(), looks.colors[world.random(3)], decays)
end

return M

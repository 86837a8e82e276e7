-- The sea: its size, grid and schools of fish.
local M = { WIDTH = 1600, HEIGHT = 900 }

M.CELL = 26                                 -- side of a cell in pixels; a fish sees 3 × 3 cells
M.MARGIN = 96                               -- pixels by which the grid extends beyond each edge of the screen
M.COLUMNS = math.ceil((M.WIDTH + 2 * M.MARGIN) / M.CELL)
M.ROWS = math.ceil((M.HEIGHT + 2 * M.MARGIN) / M.CELL)
M.CELLS = M.COLUMNS * M.ROWS                -- cells per school; each school has its own grid

-- Distant schools are small, dark and blue; near schools are large and have warm colours.
M.SCHOOLS = {
  { share = 0.30, size = 0.20, colour = { 0.10, 0.26, 0.50 }, speed = 62 },
  { share = 0.26, size = 0.25, colour = { 0.12, 0.42, 0.62 }, speed = 74 },
  { share = 0.22, size = 0.30, colour = { 0.16, 0.62, 0.70 }, speed = 86 },
  { share = 0.14, size = 0.37, colour = { 0.42, 0.78, 0.74 }, speed = 98 },
  { share = 0.08, size = 0.46, colour = { 1.00, 0.62, 0.28 }, speed = 112 },
}

local function fill_school(school, number, count)
  local colour = school.colour
  world.spawn_many("fish", count, function(q)
    local x, y, scale_x, scale_y = q.transform.x, q.transform.y, q.transform.scale_x, q.transform.scale_y
    local vx, vy, speed, of, wave, tint = q.velocity.x, q.velocity.y, q.fish.speed, q.fish.school, q.fish.wave,
      q.fish.tint
    local layer, room = q.sprite.layer, q.fish.room
    local centre_x, centre_y = world.random(0.2, 0.8) * M.WIDTH, world.random(0.2, 0.8) * M.HEIGHT
    for i = 1, q.count do
      local turn, far = world.random() * 2 * math.pi, math.sqrt(world.random()) * 420
      x[i] = centre_x + math.cos(turn) * far * 1.4
      y[i] = math.min(math.max(centre_y + math.sin(turn) * far * 0.7, 10), M.HEIGHT - 10)
      local size = school.size * (0.8 + 0.4 * world.random())
      scale_x[i], scale_y[i] = size, size
      speed[i] = school.speed * (0.85 + 0.3 * world.random())
      vx[i], vy[i] = speed[i] * (number % 2 * 2 - 1), world.random() * 20 - 10
      of[i], wave[i] = number - 1, world.random() * 6.28
      local light = 0.55 + 0.75 * world.random()
      tint.r[i], tint.g[i], tint.b[i] = colour[1] * light, colour[2] * light, colour[3] * light
      layer[i], room[i] = number, 44 * size
    end
  end)
end

-- Spawns `count` fish, spread over the schools, and the cells of the grid.
function M.fill(count)
  local left = count
  for number, school in ipairs(M.SCHOOLS) do
    local mine = number == #M.SCHOOLS and left or math.floor(count * school.share)
    fill_school(school, number, mine)
    left = left - mine
  end
  world.spawn_many("cell", M.CELLS * #M.SCHOOLS + 1)
end

return M

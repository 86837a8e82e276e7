-- The arena as a table of cells, which `build` computes from the walls: 0 is a free cell, nil is outside, any other
-- number is the side of the wall plus 1. Directions: 1 right, 2 down, 3 left, 4 up.
local looks = assets.json "looks.json"
local STRIDE = looks.columns + 2
local M = { dx = { 1, 0, -1, 0 }, dy = { 0, 1, 0, -1 }, step = { 1, STRIDE, -1, -STRIDE } }

function M.key(x, y) return y * STRIDE + x end
function M.place(x, y) return looks.left + (x - 0.5) * looks.cell, looks.top + (y - 0.5) * looks.cell end
function M.ways(dir) return { dir, (dir + 2) % 4 + 1, dir % 4 + 1 } end -- returns the directions ahead, left and right
function M.wall(side, x1, y1, x2, y2)
  return world.spawn("wall", { wall = { side = side, x1 = x1, y1 = y1, x2 = x2, y2 = y2 } })
end

-- Makes a wall passable and fades it out.
function M.fade(e)
  e.wall.solid = false
  e:add("lifetime", { seconds = 0.5 })
end

function M.build()
  local cells, q = {}, world.query { "wall" }
  for y = 1, looks.rows do
    for key = M.key(1, y), M.key(looks.columns, y) do cells[key] = 0 end
  end
  local wall = q.wall
  for i = 1, q.count do
    local first_key, last_key = M.key(wall.x1[i], wall.y1[i]), M.key(wall.x2[i], wall.y2[i])
    for key = math.min(first_key, last_key), wall.solid[i] and math.max(first_key, last_key)
      or 0, wall.y1[i] == wall.y2[i] and 1 or STRIDE do
      cells[key] = wall.side[i] + 1
    end
  end
  return cells
end

-- Returns the number of free cells that are connected to the cell `key`, including this cell. If `direction` is given,
-- counts only the cells in a straight line. Stops counting once it has found `max_count` cells.
function M.count_free_cells(cells, key, max_count, direction)
  local queue, visited, head, count = { key }, { [key] = true }, 1, cells[key] == 0 and 1 or 0
  while head <= count and count < max_count do
    for dir = direction or 1, direction or 4 do
      local neighbour = queue[head] + M.step[dir]
      if cells[neighbour] == 0 and not visited[neighbour] then
        count = count + 1
        visited[neighbour], queue[count] = true, neighbour
      end
    end
    head = head + 1
  end
  return count
end

return M

-- The way from here to there through the room, for the pilot of the demo: cell by cell, round walls and what is solid.
local SOLID = 32
local M = {}

-- Cells that the hero's feet fit into, by number; rows one after the other.
local function free_cells(tiles, size)
  local free = {}
  for row = 1, size.rows do
    for column = 1, size.columns do
      local x, y = column * 16 - 8, row * 16 - 4
      free[(row - 1) * size.columns + column] = not tiles:solid(column, row)
        and #world.box(x - 5, y - 7, x + 5, y, SOLID) == 0
    end
  end
  return free
end

---@param x number
---@param y number
---@param to_x number
---@param to_y number
---@return string points as the component path takes them; "" where there is no way
function M.way(x, y, to_x, to_y)
  local tiles = world.tiles(world.single.play.room)
  local size = tiles:size()
  local wide, free = size.columns, free_cells(tiles, size)
  local function cell(a, b) return math.floor(b / 16) * wide + math.floor(a / 16) + 1 end
  local from, goal = cell(x, y - 2), cell(to_x, to_y - 2)
  local before, list, head = { [goal] = goal }, { goal }, 1
  while list[head] and not before[from] do -- from the goal outwards
    local at = list[head]
    for _, step in ipairs { 1, -1, wide, -wide } do
      local other = at + step
      if (free[other] or other == from) and not before[other] then
        before[other] = at
        list[#list + 1] = other
      end
    end
    head = head + 1
  end
  local points, at = {}, before[from]
  while at and at ~= goal and #points < 200 do
    points[#points + 1] = ("%d,%d"):format((at - 1) % wide * 16 + 8, math.floor((at - 1) / wide) * 16 + 12)
    at = before[at]
  end
  if at then points[#points + 1] = ("%d,%d"):format(math.floor(to_x), math.floor(to_y)) end
  return table.concat(points, " ")
end

return M

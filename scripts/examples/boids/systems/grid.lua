-- A counting sort of the fish by cell: counts the fish in each cell, computes the first row of each cell, then copies
-- the position and velocity of each fish to a row of its cell.
local sea = require "lib.sea"
local floor, min, max = math.floor, math.min, math.max
local CELL, MARGIN, COLUMNS, ROWS, CELLS = sea.CELL, sea.MARGIN, sea.COLUMNS, sea.ROWS, sea.CELLS

return {
  queries = { fish = { "fish", "transform", "velocity", "sorted" }, cells = { "cell" } },
  update = function(q)
    local x, y, vx, vy = q.fish.transform.x, q.fish.transform.y, q.fish.velocity.x, q.fish.velocity.y
    local cell, school = q.fish.fish.cell, q.fish.fish.school
    local first, count = q.cells.cell.first, q.cells.cell.count
    for c = 1, q.cells.count do count[c] = 0 end
    for i = 1, q.fish.count do
      local column = max(0, min(COLUMNS - 1, floor((x[i] + MARGIN) / CELL)))
      local row = max(0, min(ROWS - 1, floor((y[i] + MARGIN) / CELL)))
      local c = school[i] * CELLS + row * COLUMNS + column + 1
      cell[i] = c
      count[c] = count[c] + 1
    end
    local at = 1
    for c = 1, q.cells.count do
      first[c] = at
      at = at + count[c]
      count[c] = 0
    end
    local sx, sy, svx, svy = q.fish.sorted.x, q.fish.sorted.y, q.fish.sorted.vx, q.fish.sorted.vy
    for i = 1, q.fish.count do
      local c = cell[i]
      local k = first[c] + count[c]
      count[c] = count[c] + 1
      sx[k], sy[k], svx[k], svy[k] = x[i], y[i], vx[i], vy[i]
    end
  end,
}

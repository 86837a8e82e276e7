-- Rebuilds the grid. The dots of a cell form a linked list: the cell stores its first dot, each dot stores the next
-- dot. With `queries`, a system has several queries.
local sky = require "sky"
local floor, min, max = math.floor, math.min, math.max

return {
  after = "drift",
  queries = { dots = { "transform", "near" }, cells = { "cell" } },
  update = function(q)
    local x, y, following, cell = q.dots.transform.x, q.dots.transform.y, q.dots.near.next, q.dots.near.cell
    local first = q.cells.cell.first
    for c = 1, q.cells.count do first[c] = 0 end
    for i = 1, q.dots.count do
      local column = max(0, min(sky.COLUMNS - 1, floor(x[i] / sky.REACH)))
      local row = max(0, min(sky.ROWS - 1, floor(y[i] / sky.REACH)))
      local c = row * sky.COLUMNS + column + 1
      cell[i], following[i], first[c] = c, first[c], i
    end
  end,
}

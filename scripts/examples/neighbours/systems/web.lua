-- Draws the lines. A dot searches its own cell and only half of the surrounding cells: the dots in the other half
-- search its cell, so each pair is found once.
local caption = require "caption"
local sky = require "sky"
local REACH, COLUMNS = sky.REACH, sky.COLUMNS
local AROUND = { 0, 1, COLUMNS - 1, COLUMNS, COLUMNS + 1 }

local function join(x1, y1, x2, y2)
  local dx, dy = x2 - x1, y2 - y1
  local near = 1 - (dx * dx + dy * dy) / (REACH * REACH)
  if near > 0 then
    draw.colour(0.35, 0.6, 1, 0.75 * near)
    draw.line(x1, y1, x2, y2, 1.4)
  end
end

return {
  phase = "render",
  queries = { dots = { "transform", "near" }, cells = { "cell" } },
  update = function(q)
    local x, y, following, cell = q.dots.transform.x, q.dots.transform.y, q.dots.near.next, q.dots.near.cell
    local first = q.cells.cell.first
    draw.blend("add")
    draw.layer(-1)
    for i = 1, q.dots.count do
      for s = 1, #AROUND do
        local c = cell[i] + AROUND[s]
        local k = s == 1 and following[i] or c >= 1 and c <= q.cells.count and first[c] or 0
        while k > 0 do
          join(x[i], y[i], x[k], y[k])
          k = following[k]
        end
      end
    end
    caption.draw "Neighbour search with a grid that is rebuilt every tick"
  end,
}

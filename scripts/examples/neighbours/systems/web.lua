-- Half of the cells around are enough: the other half finds this one.
local sky = require "sky"
local REACH, COLUMNS = sky.REACH, sky.COLUMNS
local AROUND = { 0, 1, COLUMNS - 1, COLUMNS, COLUMNS + 1 }

local function join(x, y, i, k, same_cell)
  if same_cell and k <= i then return end
  local dx, dy = x[k] - x[i], y[k] - y[i]
  local far = dx * dx + dy * dy
  if far < REACH * REACH then
    draw.colour(0.35, 0.6, 1, 0.75 * (1 - far / (REACH * REACH)))
    draw.line(x[i], y[i], x[k], y[k], 1.4)
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
      for _, step in ipairs(AROUND) do
        local c = cell[i] + step
        local k = c >= 1 and c <= q.cells.count and first[c] or 0
        while k > 0 do
          join(x, y, i, k, step == 0)
          k = following[k]
        end
      end
    end
  end,
}

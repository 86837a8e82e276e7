-- Where the rows of the menu are, for those who draw and those who click.
local M = { first = 372, step = 58 }

function M.row_at(y)
  return math.floor((y - M.first + M.step / 2) / M.step) + 1
end

return M

-- A hanging bridge: joints connect each plank to the previous one, and the first and the last plank to the world.
local M = {}

local function join(a, b, ax, bx, by)
  world.spawn("chain", { joint = { a = a, b = b, ax = ax, bx = bx, by = by } })
end

function M.hang(x1, y1, x2, y2, count)
  local length = (x2 - x1) / count
  local before
  for i = 1, count do
    local plank = world.spawn("plank", { transform = { x = x1 + (i - 0.5) * length,
      y = y1 + (y2 - y1) * (i - 0.5) / count },
      collider = { width = length - 2 }, shape = { width = length - 2 } })
    if before then
      join(before, plank, length / 2, -length / 2, 0)
    else
      join(plank, shoal.none, -length / 2, x1, y1)
    end
    before = plank
  end
  join(before, shoal.none, length / 2, x2, y2)
end

return M

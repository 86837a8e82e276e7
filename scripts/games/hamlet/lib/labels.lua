-- Places labels: names, prompts and speech bubbles. A label that would cover another label moves up.
local M = {}
local LEFT, RIGHT, TOP = 2, 318, 26 -- the part of the picture for labels, below the contents of the bag

local function find_covered(placed, x, y, width, height)
  for _, other in ipairs(placed) do
    if math.abs(other.x - x) < (other.width + width) / 2 and y > other.y - other.height and y - height < other.y then
      return other
    end
  end
end

-- Returns the middle and the lower edge of a label, and appends it to `placed`, the labels so far. x, y: the desired
-- middle and lower edge. A label that finds no space up to the top of the picture stays at its desired place.
function M.place(placed, x, y, width, height)
  x = math.max(LEFT + width / 2, math.min(RIGHT - width / 2, x))
  local free = math.max(y, TOP + height)
  local other = find_covered(placed, x, free, width, height)
  while other and other.y - other.height - height >= TOP do
    free = other.y - other.height
    other = find_covered(placed, x, free, width, height)
  end
  if other then free = math.max(y, TOP + height) end
  placed[#placed + 1] = { x = x, y = free, width = width, height = height }
  return x, free
end

return M

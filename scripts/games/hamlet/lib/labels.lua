-- Places labels: names, prompts and speech bubbles. A label that would cover another label moves up, and at the top of
-- the picture down.
local M = {}
local LEFT, RIGHT, TOP, BOTTOM = 2, 318, 26, 166 -- part of the picture that is free for labels

local function find_covered(placed, x, y, width, height)
  for _, other in ipairs(placed) do
    if math.abs(other.x - x) < (other.width + width) / 2 and y > other.y - other.height and y - height < other.y then
      return other
    end
  end
end

-- Returns the nearest free lower edge above y, or below y if `is_down`; nil if that edge is outside the picture.
local function find_free(placed, x, y, width, height, is_down)
  local other = find_covered(placed, x, y, width, height)
  while other do
    y = is_down and other.y + height or other.y - other.height
    other = find_covered(placed, x, y, width, height)
  end
  return y - height >= TOP and y <= BOTTOM and y or nil
end

-- Returns the middle and the lower edge of a label, and appends it to `placed`, the labels so far. x, y: the desired
-- middle and lower edge.
function M.place(placed, x, y, width, height)
  x = math.max(LEFT + width / 2, math.min(RIGHT - width / 2, x))
  y = math.max(TOP + height, math.min(BOTTOM, y))
  y = find_free(placed, x, y, width, height, false) or find_free(placed, x, y, width, height, true) or y
  placed[#placed + 1] = { x = x, y = y, width = width, height = height }
  return x, y
end

return M

-- Dark plates that keep text readable in front of rocks and saucers.
local M = {}

local STEPS, STEP = 6, 7 -- number of rectangles that make the soft edge, and their distance in pixels
local colour = { 0.006, 0.008, 0.022 }

-- Draws a plate with a soft edge on the current layer. The edge lies outside the given rectangle.
---@param x number left edge
---@param y number top
---@param width number
---@param height number
---@param opacity number 0 … 1, of the middle
function M.draw(x, y, width, height, opacity)
  local share = 1 - (1 - opacity) ^ (1 / STEPS) -- opacity of one rectangle
  draw.colour(colour[1], colour[2], colour[3], share)
  for i = 0, STEPS - 1 do
    local reach = i * STEP
    draw.rect(x - reach, y - reach, width + 2 * reach, height + 2 * reach, true)
  end
end

return M

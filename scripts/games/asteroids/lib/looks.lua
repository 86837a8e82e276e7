-- Outlines in the text format of a shape's `points`. At angle 0 an object faces +x.
local M = {}

M.ship = "21,0 -16,-14 -9,0 -16,14"
M.flame = "0,-6 -20,0 0,6 4,0"
M.bullet = "-6,0 5,0"
M.shell = "-7,0 0,-5 7,0 0,5" -- a diamond: a saucer's shell differs from a bullet not only in its colour
M.saucer = "-9,-5 -5,-13 5,-13 9,-5 25,2 10,10 -10,10 -25,2"
M.saucer_belt = "-25,2 25,2"
M.saucer_brow = "-9,-5 9,-5"

-- Parses points text into a list of x, y, x, y …
---@param points string
---@return number[]
function M.numbers(points)
  local out = {}
  for number in points:gmatch "[%-%d%.]+" do out[#out + 1] = tonumber(number) end
  return out
end

return M

-- Outlines in the text format of a shape's `points`. At angle 0 an object faces +x.
local M = {}

M.hulls = { -- hulls of player 1, 2, …: shapes differ, because colour alone does not distinguish ships
  "21,0 -16,-14 -9,0 -16,14",
  "21,0 -3,-6 -16,-15 -11,0 -16,15 -3,6",
  "18,-5 18,5 -1,8 -15,14 -10,0 -15,-14 -1,-8",
  "21,-9 9,-3 9,3 21,9 -9,14 -15,0 -9,-14",
  "21,0 -3,-13 -16,0 -3,13",
  "21,0 8,-5 -6,-5 -8,-15 -15,-15 -15,15 -8,15 -6,5 8,5",
  "21,0 12,-7 -2,-13 -15,-8 -15,8 -2,13 12,7",
  "21,0 -16,-11 -16,-5 -8,-5 -8,5 -16,5 -16,11",
}
M.ship = M.hulls[1]
M.flame = "0,-6 -20,0 0,6 4,0"
M.bullet = "-6,0 5,0"
M.shell = "-7,0 0,-5 7,0 0,5" -- a diamond, so that not only the colour distinguishes a saucer's shell from a bullet
M.saucer = "-9,-5 -5,-13 5,-13 9,-5 25,2 10,10 -10,10 -25,2"
M.saucer_belt = "-25,2 25,2"
M.saucer_brow = "-9,-5 9,-5"

-- Parses a string of points into a list of x, y, x, y …
---@param points string
---@return number[]
function M.numbers(points)
  local out = {}
  for number in points:gmatch "[%-%d%.]+" do out[#out + 1] = tonumber(number) end
  return out
end

return M

-- Choices of enum fields and their numbers, which count from 0. Each map is created once per list.
---@class engine.enum
local M = {}

local numbers_by_list = setmetatable({}, { __mode = "k" })
local names_by_list = setmetatable({}, { __mode = "k" })

local function make_maps(list)
  local numbers, names = {}, {}
  for i, name in ipairs(list) do
    numbers[name], names[i - 1] = i - 1, name
  end
  numbers_by_list[list], names_by_list[list] = numbers, names
end

-- Returns the number of each choice.
---@param list string[] must not change afterwards
---@return table<string, integer>
function M.get_numbers(list)
  if not numbers_by_list[list] then
    make_maps(list)
  end
  return numbers_by_list[list]
end

-- Returns the choice of each number.
---@param list string[] must not change afterwards
---@return table<integer, string>
function M.get_names(list)
  if not names_by_list[list] then
    make_maps(list)
  end
  return names_by_list[list]
end

return M

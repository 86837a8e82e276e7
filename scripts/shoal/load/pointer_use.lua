-- Determines whether a game may read the pointers of its players, with input.mouse(player), or their mouse movements,
-- with input.mouse[player].dx. Machines compute and send both only if the game may read them, because the position in
-- the world also changes when the camera moves, and each change in a match makes the other machines correct their
-- predictions. All machines have the same code, so all get the same result. A file that contains the string "mouse" for
-- another purpose also counts.
local util = require("jit.util")

local NAME = "mouse"

-- Returns true if the table contains the name as a key or as a value.
local function has_name_in_table(t)
  for key, v in pairs(t) do -- the order does not matter
    if key == NAME or v == NAME then
      return true
    end
  end
  return false
end

-- Returns true if the function or one of its inner functions contains the name: as a member, or as a string.
local function has_name(fn)
  for i = 1, util.funcinfo(fn).gcconsts do
    local constant = util.funck(fn, -i)
    local kind = type(constant)
    if constant == NAME or kind == "table" and has_name_in_table(constant)
      or kind == "proto" and has_name(constant) then
      return true
    end
  end
  return false
end

---@param chunks { [1]: function, [2]: string }[] the main chunk and the name of each Lua file of the game
---@return boolean
return function(chunks)
  for _, item in ipairs(chunks) do
    if has_name(item[1]) then
      return true
    end
  end
  return false
end

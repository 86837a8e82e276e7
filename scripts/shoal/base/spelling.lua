-- British and American spelling: a name that contains "colour" or "centre" can also be written with "color" or
-- "center", and the reverse. `alias` makes a table of names accept both spellings without adding entries, so that lists
-- of names show one spelling; `find` is for single lookups. An exact match always takes precedence.

---@class engine.spelling
local M = {}

local function respell(name, american)
  if american then
    return (name:gsub("colour", "color"):gsub("centre", "center"))
  end
  return (name:gsub("colou?r", "colour"):gsub("center", "centre"))
end

-- Returns the key of `names` that is `name` in the other spelling; nil if there is no such key or `name` is not a
-- string.
---@param name any
---@param names table<string, any>
---@return string?
function M.find(name, names)
  if type(name) ~= "string" then
    return nil
  end
  for american = 1, 2 do
    local alternative = respell(name, american == 2)
    if alternative ~= name and rawget(names, alternative) ~= nil then
      return alternative
    end
  end
end

-- Returns the index of `name` in `choices`, in either spelling; nil if it is missing.
---@param name any
---@param choices string[]
---@return integer? index
function M.index_of(name, choices)
  if type(name) == "string" then
    local british = respell(name)
    for i, choice in ipairs(choices) do
      if respell(choice) == british then
        return i
      end
    end
  end
end

-- Makes `names` also return its values for the other spelling of its keys. Adds no entries. Returns `names`.
---@generic T
---@param names T
---@return T
function M.alias(names)
  local alternatives
  for name, v in pairs(names) do
    for american = 1, 2 do
      local alternative = type(name) == "string" and respell(name, american == 2) or name
      if alternative ~= name and rawget(names, alternative) == nil then
        alternatives = alternatives or {}
        alternatives[alternative] = v
      end
    end
  end
  return alternatives and setmetatable(names, { __index = alternatives }) or names
end

-- Returns `values` with its keys in the spelling of `names`: a copy if a key is changed. A key that is not in `names`
-- in either spelling is kept.
---@param values table
---@param names table<string, any>
---@return table
function M.respell_keys(values, names)
  local renamed
  for name in next, values do
    local alternative = rawget(names, name) == nil and M.find(name, names)
    if alternative and values[alternative] == nil then
      renamed = renamed or {}
      renamed[name] = alternative
    end
  end
  if not renamed then
    return values
  end
  local copy = {}
  for name, v in next, values do
    copy[renamed[name] or name] = v
  end
  return copy
end

return M

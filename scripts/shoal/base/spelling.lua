-- British and American spelling: a name that contains "colour" or "centre" can also be written with "color" or
-- "center", and the reverse. `alias` makes a table of names accept the other spelling without adding entries, so that
-- lists of names show one spelling; `find` is for single lookups. An exact match always takes precedence.

---@class engine.spelling
local M = {}

local function respell(name, american)
  if american then
    return (name:gsub("colour", "color"):gsub("centre", "center"))
  end
  return (name:gsub("colou?r", "colour"):gsub("center", "centre"))
end

-- Returns the key of `names` that is `name` in the other spelling; nil if it is missing or `name` is not a string.
---@param name any
---@param names table<string, any>
---@return string?
function M.find(name, names)
  if type(name) ~= "string" then
    return nil
  end
  for american = 1, 2 do
    local other = respell(name, american == 2)
    if other ~= name and rawget(names, other) ~= nil then
      return other
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
  local others
  for name, v in pairs(names) do
    for american = 1, 2 do
      local other = type(name) == "string" and respell(name, american == 2) or name
      if other ~= name and rawget(names, other) == nil then
        others = others or {}
        others[other] = v
      end
    end
  end
  return others and setmetatable(names, { __index = others }) or names
end

-- Returns `values` with its keys in the spelling of `names`: a copy if a key is changed. A key that is not in `names`
-- in either spelling is kept.
---@param values table
---@param names table<string, any>
---@return table
function M.respell_keys(values, names)
  local out
  for name in next, values do
    local other = rawget(names, name) == nil and M.find(name, names)
    if other and values[other] == nil then
      out = out or {}
      out[name] = other
    end
  end
  if not out then
    return values
  end
  local copy = {}
  for name, v in next, values do
    copy[out[name] or name] = v
  end
  return copy
end

return M

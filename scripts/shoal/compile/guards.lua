-- What is asked before each run of a system's code, and what goes back behind it, without a loop: LuaJIT gives up the
-- loop over rows that comes through another one, and rows that are left to Lua ask each time. So there is a function
-- for each number of things to ask, and the same ones for all systems with so many.
local need = ...
local handle = need("base/handle")

---@class engine.asks
local M = {}

local MAX = 100 -- of more, a text would be long; LuaJIT gives them up
local known = {}

-- Does a thing have the value that the code was compiled for?
local function holds(item)
  local v = item.fetch()
  return rawequal(v, item.v) and not (rawequal(v, 0) and 1 / v ~= 1 / item.v) -- a column is compared with nothing
end

-- A parameter's value of now. → is it one?
local function is_set(made, item, i, dt)
  local v = item.key == "dt" and dt or item.fetch()
  if type(v) ~= (item.kind == "boolean" and "boolean" or "number") then
    return false
  end
  made.parameters[i - 1] = v == true and 1 or v or 0
  return true
end

-- What goes from row to row, as Lua has it.
local function give_back(made, item)
  local v = made.parameters[item.at]
  if not item.noted or made.parameters[item.noted] ~= 0 then
    if item.kind == "boolean" then
      v = v ~= 0
    elseif item.kind == "id" then
      v = handle.handle(v)
    end
    item.put(v)
  end
end

-- → the text of a function, with a line for each item, or a loop over them
local function lines(list, count, line)
  if count > MAX then
    return ("  for i, item in ipairs(%s) do %s end\n"):format(list, line)
  end
  local out = {}
  for i = 1, count do
    out[i] = ("  do local i, item = %d, %s[%d] %s end\n"):format(i, list, i, line)
  end
  return table.concat(out)
end

local function made_function(text)
  known[text] = known[text] or assert(load(text, "=[shoal]/compile/asks.lua"))(holds, is_set, give_back)
  return known[text]
end

--- Does what it was compiled for still hold? → (made, dt) → nil when it does not, false when it does not now. The
--- parameters are those of now, then.
---@param made table
---@return fun(made: table, dt: number): boolean?
function M.ask(made)
  return made_function("local holds, is_set = ...\nreturn function(made, dt)\n  local unknown = made.unknown\n"
    .. lines("made.checks", #made.checks, "if not holds(item) then return nil end")
    .. "  if unknown.count > 0 then unknown.ids, unknown.count = {}, 0 end\n"
    .. lines("made.wanted", #made.wanted, "if not is_set(made, item, i, dt) then return nil end")
    .. "  return true\nend")
end

--- What goes from row to row goes back behind a run.
---@param made table
---@return fun(made: table)
function M.carry(made)
  return made_function("local _, _, give_back = ...\nreturn function(made)\n"
    .. lines("made.carried", #made.carried, "give_back(made, item)") .. "end")
end

return M

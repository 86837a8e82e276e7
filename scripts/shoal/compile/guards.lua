-- Guards, parameters and loop-carried values of compiled code. A guard is a value that must still equal the value for
-- which the code was compiled. A parameter is a number or boolean that is the same for all rows. A loop-carried value
-- is passed from each row to the next. Before each run, the guards are checked and the parameters are loaded. After the
-- run, the loop-carried values are written back to Lua.
--
-- The functions that check, load and write back are generated. They contain a copy of their code for each item instead
-- of a loop, because the guards are also checked in the row loop, after rows that ran in Lua, and LuaJIT aborts a trace
-- of the row loop if the trace passes through a second loop. Systems with the same number of items share a function.
local need = ...
local handle = need("base/handle")

---@class engine.guards
local M = {}

-- Maximum number of unrolled items. For more items, a loop is generated, and LuaJIT cannot compile the row loop.
local MAX_UNROLLED = 100
local functions = {}

-- Returns true if the guarded value still equals the value for which the code was compiled.
local function is_unchanged(item)
  local v = item.fetch()
  -- rawequal(0, -0) is true, but 1 / 0 and 1 / -0 differ. The division is evaluated for zeros only, so v is a number.
  return rawequal(v, item.v) and not (rawequal(v, 0) and 1 / v ~= 1 / item.v)
end

-- Stores the current value of a parameter. Returns false if the value has the wrong type.
local function set_parameter(compiled, item, i, dt)
  local v = item.key == "dt" and dt or item.fetch()
  if type(v) ~= (item.kind == "boolean" and "boolean" or "number") then
    return false
  end
  compiled.parameters[i - 1] = v == true and 1 or v or 0
  return true
end

-- Writes a loop-carried value back to Lua, converted to its Lua type. If the value has a `noted` parameter, it is
-- written only if that parameter shows that a row has changed it.
local function write_back(compiled, item)
  local v = compiled.parameters[item.at]
  if not item.noted or compiled.parameters[item.noted] ~= 0 then
    if item.kind == "boolean" then
      v = v ~= 0
    elseif item.kind == "id" then
      v = handle.handle(v)
    end
    item.put(v)
  end
end

-- Returns Lua source that executes `line` for each item of a list: unrolled, or as a loop if there are more than
-- MAX_UNROLLED items.
local function generate_lines(list, count, line)
  if count > MAX_UNROLLED then
    return ("  for i, item in ipairs(%s) do %s end\n"):format(list, line)
  end
  local out = {}
  for i = 1, count do
    out[i] = ("  do local i, item = %d, %s[%d] %s end\n"):format(i, list, i, line)
  end
  return table.concat(out)
end

local function get_or_load_function(text)
  functions[text] = functions[text]
    or assert(load(text, "=[shoal]/compile/guards.lua"))(is_unchanged, set_parameter, write_back)
  return functions[text]
end

--- Returns a function (compiled, dt) that checks the guards and loads the parameters. It returns true if the code can
--- run, or nil if a guard failed or a parameter has the wrong type.
---@param compiled table
---@return fun(compiled: table, dt: number): boolean?
function M.check_function(compiled)
  return get_or_load_function("local holds, is_set = ...\nreturn function(compiled, dt)\n"
    .. "  local unknown = compiled.unknown\n"
    .. generate_lines("compiled.checks", #compiled.checks, "if not holds(item) then return nil end")
    .. "  if unknown.count > 0 then unknown.ids, unknown.count = {}, 0 end\n"
    .. generate_lines("compiled.parameter_list", #compiled.parameter_list,
      "if not is_set(compiled, item, i, dt) then return nil end")
    .. "  return true\nend")
end

--- Returns a function (compiled) that writes the loop-carried values back to Lua after a run.
---@param compiled table
---@return fun(compiled: table)
function M.write_back_function(compiled)
  return get_or_load_function("local _, _, write_back = ...\nreturn function(compiled)\n"
    .. generate_lines("compiled.carried", #compiled.carried, "write_back(compiled, item)") .. "end")
end

return M

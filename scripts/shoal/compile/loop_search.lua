-- Determines whether a function may execute a loop, in its own code or in functions that it can call.
local need = ...
local bytecode = need("compile/bytecode")
local util = require("jit.util")

---@class engine.loop_search
local M = {}

local LOOPS = {}
for op in ("FORI JFORI LOOP ILOOP JLOOP ITERC ITERN"):gmatch("%S+") do
  LOOPS[op] = true
end

local function contains_loop(fn)
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    if LOOPS[(bytecode.read_instruction(fn, pc))] then
      return true
    end
  end
  return false
end

local function visit(v, visited)
  if visited[v] then
    return false
  elseif type(v) == "table" then
    visited[v] = true
    for _, member in next, v do
      if type(member) == "function" and visit(member, visited) then
        return true
      end
    end
    return false
  elseif type(v) ~= "function" or not util.funcinfo(v).bytecodes
    or debug.getinfo(v, "S").source:find("^@%[shoal%]") then
    return false
  end
  visited[v] = true
  if contains_loop(v) then
    return true
  end
  for i = 1, debug.getinfo(v, "u").nups do
    local _, upvalue = debug.getupvalue(v, i)
    if upvalue ~= nil and visit(upvalue, visited) then
      return true
    end
  end
  return false
end

-- Returns true if a game function contains a loop, or if it can reach a function that does: through its upvalues,
-- directly or as a member of a table.
---@param fn function
---@return boolean
function M.has_loop(fn)
  return bytecode.is_known and visit(fn, {})
end

return M

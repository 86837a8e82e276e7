-- How engine code calls a function of a script in the middle of something that has to come to its end:
-- world.spawn_many with its block, world.emit_many with its rows, a migration, a cache. What is thrown comes back as
-- a value, with its place, so that the caller can close what it opened (design/0019).
local need = ...
local abi = need("base/abi")
local report = need("base/report")
local C = abi.C

---@class engine.guarded
local M = {}

-- Whatever goes from C into Lua uses the stack of C, which LuaJIT does not look at; the coroutines within one another
-- share it. A recursion without end is stopped like a loop without end: how deep it comes differs between builds, so
-- that no script may catch it and go on.

-- `handler` of an xpcall, which is called on top of whatever went wrong.
---@param handler fun(problem: any): any
---@return fun(problem: any): any
function M.handler(handler)
  return function(problem)
    C.watchdog_check_stack()
    return handler(report.seen(problem))
  end
end

-- `f` for scripts: a function of C that calls one of Lua.
---@param f function
---@return function
function M.shallow(f)
  return function(...)
    C.watchdog_check_stack()
    return f(...)
  end
end

-- → true and the first result of f(a, b, c), or false and what went wrong. Through a C function, over which nothing
-- can yield: else the rest of the caller would never run.
---@param f function
---@param a? any
---@param b? any
---@param c? any
---@return boolean good
---@return any result
function M.call(f, a, b, c)
  C.watchdog_check_stack()
  local result
  local good, problem = xpcall(string.gsub, report.placed, "x", "x", function()
    result = f(a, b, c)
  end)
  if good then
    return true, result
  end
  return false, problem
end

return M

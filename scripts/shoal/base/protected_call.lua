-- Protected calls to script functions in the middle of an engine operation that must complete: world.spawn_many with
-- its block, world.emit_many with its rows, a migration, a cache. Errors are returned with their location, so that the
-- caller can clean up (design/0019).
local need = ...
local abi = need("base/abi")
local report = need("base/report")
local C = abi.C

---@class engine.protected_call
local M = {}

-- Calls from C into Lua use the C stack, which LuaJIT does not check, and nested coroutines share it. Unbounded
-- recursion is stopped like an infinite loop: the depth it reaches differs between builds, so no script may catch the
-- error.

-- Wraps the `handler` of an xpcall, which runs on top of the failed stack: checks the depth of the C stack first, and
-- normalizes the error.
---@param handler fun(problem: any): any
---@return fun(problem: any): any
function M.handler(handler)
  return function(problem)
    C.watchdog_check_stack()
    return handler(report.without_types(problem))
  end
end

-- Wraps `f`, a C function for scripts that calls a Lua function: checks the depth of the C stack before each call.
---@param f function
---@return function
function M.shallow(f)
  return function(...)
    C.watchdog_check_stack()
    return f(...)
  end
end

-- Returns true and the first result of f(a, b, c), or false and the error. The call goes through a C function, across
-- which coroutines cannot yield: a yield might leave the rest of the caller unexecuted.
---@param f function
---@param a? any
---@param b? any
---@param c? any
---@return boolean good
---@return any result
function M.call(f, a, b, c)
  C.watchdog_check_stack()
  local result
  local good, problem = xpcall(string.gsub, report.with_location, "x", "x", function()
    result = f(a, b, c)
  end)
  if good then
    return true, result
  end
  return false, problem
end

return M

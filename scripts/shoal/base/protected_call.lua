-- Protected calls to script functions in the middle of an engine operation that must be completed or undone, such as
-- world.spawn_many, world.emit_many, a migration, or filling a cache. Errors are returned with their location, so that
-- the caller can clean up and rethrow them (design/0019).
local need = ...
local abi = need("base/abi")
local report = need("base/report")
local C = abi.C

---@class engine.protected_call
local M = {}

-- Calls from C into Lua use the C stack, which nested coroutines share and which LuaJIT does not check. Therefore
-- watchdog_check_stack stops unbounded recursion in the same way as an infinite loop. Scripts cannot catch that error,
-- because the depth that recursion reaches differs between builds.

-- Wraps the `handler` that a script passes to xpcall. The wrapper normalizes the error and checks the depth of the C
-- stack. The check is needed because the handler runs on top of the failed call's stack.
---@param handler fun(problem: any): any
---@return fun(problem: any): any
function M.wrap_handler(handler)
  return function(problem)
    C.watchdog_check_stack()
    return handler(report.remove_type_numbers(problem))
  end
end

-- Wraps `f`, a C function for scripts that calls a Lua function: checks the depth of the C stack before each call.
---@param f function
---@return function
function M.wrap_with_stack_check(f)
  return function(...)
    C.watchdog_check_stack()
    return f(...)
  end
end

-- Returns true and the first result of f(a, b, c), or false and the error. The call goes through a C function because
-- coroutines cannot yield across it. After a yield, the rest of the caller might never run.
---@param f function
---@param a? any
---@param b? any
---@param c? any
---@return boolean good false if `f` has raised an error
---@return any result
function M.call(f, a, b, c)
  C.watchdog_check_stack()
  local result
  local ok, problem = xpcall(string.gsub, report.add_location, "x", "x", function()
    result = f(a, b, c)
  end)
  if ok then
    return true, result
  end
  return false, problem
end

return M

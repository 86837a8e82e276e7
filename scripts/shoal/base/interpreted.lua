-- Functions of the engine that call code of systems. LuaJIT compiles a function together with the functions that it
-- calls. With few systems, a run is then a single trace. With many systems, it becomes a chain of up to 500 side
-- traces, one for each system, which every run searches for its system; the bodies at the end of the chain stay
-- interpreted, and create garbage. Games with many systems therefore interpret these functions, so that LuaJIT compiles
-- each body, and the code between the bodies, separately.
local jit = require("jit")

---@class engine.interpreted
local M = {}
local callers = {} ---@type function[]

local MAX_COMPILED = 100 -- maximum number of systems with which the callers are compiled

-- Registers a function that calls code of systems. Returns the function.
---@generic F: function
---@param f F
---@return F
function M.caller(f)
  callers[#callers + 1] = f
  return f
end

-- Excludes the callers from compiled code if the game has many systems. Called before the first run.
---@param count integer number of systems
function M.apply(count)
  for i = 1, count > MAX_COMPILED and #callers or 0 do
    jit.off(callers[i])
  end
  callers = {}
end

return M

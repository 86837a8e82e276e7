-- Measures functions that are not compiled to machine code: event handlers, `enter`, `leave`, `changed`, and `update`
-- without a query. Records slow ones for --explain and the cockpit, with their time and the lines that cost most. Only
-- some of the runs are measured, because reading the clock costs as much as a small handler.
local need = ...
local abi = need("base/abi")
local bytecode = need("compile/bytecode")
local compile = need("compile/compile")
local loop_rewrite = need("compile/loop_rewrite")
local bit, util = require("bit"), require("jit.util")
local C = abi.C

---@class engine.handler_costs
local M = {}

-- Number of runs before the first sample, and maximum between samples: LuaJIT compiles a handler in its first runs.
local FIRST_SAMPLE, MAX_RUNS_PER_SAMPLE = 32, 256
local MIN_US = 20          -- a handler is slow if a run takes at least this time, in microseconds
local MIN_SLOW_SAMPLES = 4 -- number of consecutive slow samples after which a handler is recorded
local SAMPLES_OF_MEAN = 8  -- number of samples after which a sample has little weight in the mean
local MAX_CAUSES = 3       -- maximum number of causes to list

---@class engine.HandlerCost
---@field system engine.System
---@field label string "on.hit", "enter", "update"
---@field handlers function[]
---@field runs_left integer number of runs until the next sample
---@field runs_per_sample integer
---@field slow_samples integer number of consecutive slow samples
---@field mean_us number mean time of the consecutive slow samples in microseconds, with more weight on later samples
---@field mean_count number mean number of events in these samples, weighted in the same way

---@param system engine.System
---@param label string
---@param handlers function[]
---@return engine.HandlerCost
function M.create(system, label, handlers)
  return { system = system, label = label, handlers = handlers, runs_left = FIRST_SAMPLE, runs_per_sample = 8,
    slow_samples = 0, mean_us = 0, mean_count = 0 }
end

-- Adds the causes in one function: calls of world.each, and loops over the rows of a query.
local function add_causes(causes, fn)
  for pc = 1, util.funcinfo(fn).bytecodes - 2 do
    local op, _, _, _, d = bytecode.read_instruction(fn, pc)
    local next_op, _, _, key = bytecode.read_instruction(fn, pc + 1)
    if op == "GGET" and util.funck(fn, -d - 1) == "world" and next_op == "TGETS" and util.funck(fn, -1 - key) == "each"
    then
      causes[#causes + 1] = ("world.each (line %d): loop over the columns of world.query, or in update"):format(
        util.funcinfo(fn, pc).currentline)
    end
  end
  for _, loop in ipairs((loop_rewrite.find(fn))) do
    local is_over_events = not loop.query or loop.query.root == 0 and #loop.query.names == 0
    causes[#causes + 1] = not is_over_events and ("a loop over rows (line %d): move it into an update that reads what "
      .. "the handler has stored in a singleton"):format(util.funcinfo(fn, loop.head).currentline) or nil
  end
end

local function describe_causes(handlers)
  local causes = {}
  for _, handler in ipairs(handlers) do
    add_causes(causes, handler)
  end
  if #causes == 0 then
    return "move the work for many entities into update over a query"
  end
  return table.concat(causes, "; ", 1, math.min(#causes, MAX_CAUSES))
end

local function record(cost)
  local info = debug.getinfo(cost.handlers[1], "S")
  if not info.source:find("^@") or info.source:find("^@%[shoal%]") then
    return -- code of Shoal, such as the caller of a behaviour's functions
  end
  compile.record_slow_handler(("%s, %s"):format(cost.system.name, cost.label), ("%s:%d"):format(info.source:sub(2),
    info.linedefined), ("%.0f us a run%s, and %s not compiled: %s"):format(cost.mean_us,
      cost.mean_count > 0 and (" with %.0f events"):format(cost.mean_count) or "",
      cost.label == "update" and "an update without a query is" or "handlers are", describe_causes(cost.handlers)))
end

-- Must be called before the handler runs. Returns the time in nanoseconds if this run is measured, otherwise nil.
---@param cost engine.HandlerCost
---@return number?
function M.begin(cost)
  local runs_left = cost.runs_left - 1
  cost.runs_left = runs_left
  if runs_left > 0 then
    return nil
  end
  local start_ns = C.native_clock_ns()
  return start_ns
end

-- Must be called after the handler has run, if M.begin has returned a time.
---@param cost engine.HandlerCost
---@param start_ns number result of M.begin
---@param count integer number of events; 0 if the handler is not called for events
function M.finish(cost, start_ns, count)
  local us = (C.native_clock_ns() - start_ns) / 1000
  cost.runs_left = cost.runs_per_sample
  if us < MIN_US then
    cost.slow_samples = 0
    cost.runs_per_sample = math.min(2 * cost.runs_per_sample, MAX_RUNS_PER_SAMPLE)
    return
  end
  local samples = cost.slow_samples + 1
  local weight = 1 / math.min(samples, SAMPLES_OF_MEAN)
  cost.slow_samples, cost.mean_us = samples, samples == 1 and us or cost.mean_us + (us - cost.mean_us) * weight
  cost.mean_count = samples == 1 and count or cost.mean_count + (count - cost.mean_count) * weight
  if samples >= MIN_SLOW_SAMPLES and bit.band(samples, samples - 1) == 0 then -- a power of two
    record(cost)
  end
end

return M

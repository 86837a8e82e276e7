-- Decides whether a system over few rows is compiled. Below MIN_ROWS rows, compiling does not pay off for most systems.
-- It does if the rows take long, for example because each row loops over a list: then the system is compiled from
-- MIN_SLOW_ROWS rows on. The time of Lua's version is measured in a few runs only, because reading the clock costs as
-- much as a small system.
local need = ...
local abi = need("base/abi")
local C = abi.C

---@class engine.few_rows
local M = {}

local MIN_ROWS, MIN_SLOW_ROWS = 256, 16 -- minimum number of rows of a compiled system, and of a slow one
local MIN_SLOW_US = 30                  -- a system is slow if a run in Lua takes at least this time, in microseconds
-- A system is slow after this number of consecutive slow samples: a single sample may contain a pause of the process.
local MIN_SLOW_SAMPLES = 3
-- Number of runs between two samples. Doubles after each quick sample up to the maximum, because a measured run also
-- leaves the list of plain runs (systems/system.lua).
local RUNS_PER_SAMPLE, MAX_RUNS_PER_SAMPLE = 64, 1024

---@class engine.RowLimit the number of rows from which a system is compiled
---@field min_rows integer
---@field runs_left integer number of runs until the next sample
---@field runs_per_sample integer
---@field slow_samples integer number of consecutive slow samples

-- Creates the limit of a system.
---@param is_measured boolean false: the system is never compiled, so its runs are not measured
---@return engine.RowLimit
function M.create(is_measured)
  return { min_rows = MIN_ROWS, runs_left = is_measured and RUNS_PER_SAMPLE or math.huge,
    runs_per_sample = RUNS_PER_SAMPLE, slow_samples = 0 }
end

local function record_sample(limit, is_slow)
  limit.slow_samples = is_slow and limit.slow_samples + 1 or 0
  limit.runs_per_sample = is_slow and RUNS_PER_SAMPLE or math.min(2 * limit.runs_per_sample, MAX_RUNS_PER_SAMPLE)
  limit.runs_left = limit.runs_per_sample
  if limit.slow_samples == MIN_SLOW_SAMPLES then
    limit.min_rows = MIN_SLOW_ROWS
  end
end

-- Runs Lua's version of a system over few rows. Measures some of the runs, and lowers the limit if the system has
-- proved to be slow.
---@param limit engine.RowLimit
---@param count integer number of rows
---@param body fun(dt: number, arguments: table?)
---@param dt number seconds
---@param arguments? table
function M.run(limit, count, body, dt, arguments)
  limit.runs_left = limit.runs_left - 1
  if limit.runs_left > 0 then
    body(dt, arguments)
  elseif count < MIN_SLOW_ROWS then
    body(dt, arguments)
    record_sample(limit, false)
  else
    local start_ns = C.native_clock_ns()
    body(dt, arguments)
    record_sample(limit, C.native_clock_ns() - start_ns >= MIN_SLOW_US * 1000)
  end
end

-- Returns true if the system has proved to be slow.
---@param limit? engine.RowLimit nil: the system has no body over rows
---@return boolean
function M.is_slow(limit)
  return limit ~= nil and limit.min_rows < MIN_ROWS
end

-- Describes why a system has not been compiled so far.
---@param limit engine.RowLimit
---@return string
function M.describe(limit)
  if limit.min_rows == MIN_ROWS then
    return ("fewer than %d rows so far, and less than %d us a run"):format(MIN_ROWS, MIN_SLOW_US)
  end
  return ("fewer than %d rows so far"):format(limit.min_rows)
end

return M

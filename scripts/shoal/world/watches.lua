-- The queue of world.watch. Calls in a system are queued and applied together with the system's commands, so a failed
-- system does not change the watched queries. Calls outside systems are applied immediately.
local need, native = ...
local report = need("base/report")
local state = need("base/vm_state")

---@class engine.watches
local M = {}
local queue = {} ---@type { statement: string, is_enabled: boolean }[] calls of the systems that are running

-- Returns what the most recent queued call for the query requests: true adds the watch, false removes it, and nil means
-- that no call is queued.
local function find_queued(statement)
  for i = #queue, 1, -1 do
    if queue[i].statement == statement then
      return queue[i].is_enabled
    end
  end
end

---@param statement any an SQL query
---@param is_enabled boolean false: removes the watch
function M.set(statement, is_enabled)
  if type(statement) ~= "string" then
    report.raise("world.watch: expected a string, got %s", report.describe(statement))
  end
  if find_queued(statement) == is_enabled then
    return
  end
  local ok, problem = true, nil
  if is_enabled then
    ok, problem = native.check_watch(statement, #queue)
  end
  if not ok then
    report.raise("world.watch: %s", problem)
  elseif state.system then
    queue[#queue + 1] = { statement = statement, is_enabled = is_enabled }
  else
    native.watch(statement, is_enabled)
  end
end

---@return integer count number of queued calls
function M.get_queued_count()
  return #queue
end

-- Applies the queued calls of a run that has succeeded.
function M.apply_queued()
  for i = 1, #queue do
    native.watch(queue[i].statement, queue[i].is_enabled)
    queue[i] = nil
  end
end

-- Drops all but the first `count` calls, which a failed run has queued.
---@param count integer
function M.drop_queued(count)
  for i = #queue, count + 1, -1 do
    queue[i] = nil
  end
end

return M

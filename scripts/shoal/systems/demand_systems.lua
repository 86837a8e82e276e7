-- Systems in phase "demand", which world.run executes synchronously within the calling system. A demand system opens
-- queries like any other; its commands are applied with the caller's commands, and its errors propagate to the caller.
local need = ...
local abi = need("base/abi")
local protected_call = need("base/protected_call")
local handle = need("base/handle")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local state = need("base/vm_state")
local definitions = need("world/definitions")
local query = need("world/query")
local watches = need("world/watches")
local ffi, C, W, current = abi.ffi, abi.C, abi.world, abi.current

---@class engine.on_demand
local M = {}

local running = {} -- the demand systems that are running, outermost first

-- Fields that a system in phase "demand" cannot have, each with the reason.
M.REFUSED = {
  on = "it receives no events", enter = "it is not notified of changes",
  leave = "it is not notified of changes", every = "it runs only when world.run is called",
  after = "it runs where world.run is called", before = "it runs where world.run is called",
  priority = "it runs where world.run is called", enabled = "it runs only when world.run is called",
  when = "the caller of world.run can check the condition",
  scene = "the caller of world.run can check which scenes are open",
  start = "it is never started", stop = "it is never started", reload = "it runs only when world.run is called",
  changed = "it is not notified of changes",
}

local function refuse_cycle(system)
  local names, is_in_cycle = {}, false
  for _, running_system in ipairs(running) do
    is_in_cycle = is_in_cycle or running_system == system
    names[#names + 1] = is_in_cycle and running_system.name or nil
  end
  if is_in_cycle then
    report.raise("world.run: %s is running already: %s → %s", system.name, table.concat(names, " → "), system.name)
  end
end

-- Runs a system immediately, as an extension of the caller's run. If no system is running, applies the commands of the
-- demand system before it returns. An error of the demand system propagates to the caller.
---@param system engine.System
---@param arguments? table
function M.run(system, arguments)
  refuse_cycle(system)
  local outer_system, outer_entity, is_outside_systems = state.system, current.entity, not C.world_is_deferring(W)
  local outer_watch_count = watches.get_queued_count()
  running[#running + 1], state.system = system, system
  C.world_defer_begin(W, system.id)
  if system.searches then
    C.body_grid_capture(W)
  end
  for i = 1, #system.records do
    query.open(system.records[i])
  end
  local outer_loop = query.set_iterated(nil)
  local dt = tonumber(ffi.cast("float", 1 / C.world_tick_rate(W)))
  local addon = scope.current
  scope.set(system.at.addon or false)
  local phase, description = phases.enter("demand")
  local ok, problem = protected_call.call(system.body, dt, arguments)
  phases.enter(phase, description)
  scope.set(addon)
  handle.clear_current()
  query.set_iterated(outer_loop)
  for i = 1, #system.records do
    query.close(system.records[i])
  end
  running[#running], state.system, current.entity = nil, outer_system, outer_entity
  if is_outside_systems then
    query.close_opened_by_scripts() -- applying the commands may move the columns of open queries
  end
  C.world_defer_end(W, not ok)
  if not ok then
    watches.drop_queued(outer_watch_count)
    definitions.refresh() -- reloads definitions, because the failed run's definitions were dropped
    error(problem, 0)
  elseif not outer_system then
    watches.apply_queued()
  end
end

-- Resets the stack of running systems after an error.
function M.clear()
  running = {}
end

return M

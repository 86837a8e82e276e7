-- `enter`, `leave` and `changed` of systems, and change counters (ecs/changes.h).
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local phases = need("base/phases")
local protected_call = need("base/protected_call")
local report = need("base/report")
local state = need("base/vm_state")
local weak_table = need("base/weak_table")
local components = need("schema/component")
local last_values = need("schema/last_values")
local ffi, C, W, current, entities = abi.ffi, abi.C, abi.world, abi.current, abi.entities

---@class engine.observe
local M = {}
-- Maximum number of entities that a system's `enter`, `leave` and `changed` may spawn in a tick. Without this limit, an
-- `enter` that spawns entities for which it is called again would fill the world.
M.MAX_SPAWNED = 65536
M.MAX_ROUNDS = 100 -- must equal OBSERVER_MAX_ROUNDS in ecs/changes.h

-- Kinds of functions in call order, indexed by observed_t + 1.
local KINDS = { "leave", "enter", "changed" }
local LEAVE, ENTER = 0, 1
local count_out = ffi.new("uint32_t[1]")

---@param name string
---@param system table the system's declaration
---@param fail fun(key: string, message: string, ...: any)
function M.check(name, system, fail)
  for _, kind in ipairs(KINDS) do
    if not system[kind] then -- luacheck: ignore
    elseif not system.query then
      fail(kind, "%s requires a query: add query = { \"transform\" }", kind)
    elseif system.phase == "render" then
      fail(kind, "%s has %s, which is not allowed in phase \"render\": use a different phase", name, kind)
    end
  end
end

---@param declaration table
---@return boolean
function M.is_declared(declaration)
  return (declaration.enter or declaration.leave or declaration.changed) ~= nil
end

-- Returns the names of the declared functions, "enter, leave", and the functions.
---@param declaration table
---@return string names
---@return function[]
function M.list_declared(declaration)
  local names, functions = {}, {}
  for _, kind in ipairs(KINDS) do
    names[#names + 1], functions[#functions + 1] = declaration[kind] and kind, declaration[kind]
  end
  return table.concat(names, ", "), functions
end

local endless = weak_table("k") -- system's declaration → function to name in the error about endless calls

-- Returns the function to name in an error of the system: the function that caused endless calls, or the first declared
-- function.
---@param declaration table
---@return function?
function M.get_error_function(declaration)
  return endless[declaration] or declaration.enter or declaration.leave or declaration.changed
end

-- Each function gets its own copy of the loop, so that LuaJIT compiles it separately.
local LOOP = [[
local state, handle = ...
return function(ids, count, call, begin)
  for i = 0, count - 1 do
    local id = ids[i]
    state.entity = id
    if begin then
      begin(id, i)
    end
    call(handle(id))
  end
end
]]

local function load_loop()
  return loadstring(LOOP, "@[shoal]/loop.lua")(state, handle.handle)
end

---@param system engine.System
function M.open(system)
  system.observer = C.observer_find_or_create(W, system.name, (system.life or system.record).query,
    system.declaration.changed ~= nil)
  system.loops = system.loops or { load_loop(), load_loop(), load_loop() }
  if system.reads_last_values then
    C.world_watch_enable_last_rows(W, C.observer_get_watcher(W, system.observer))
  end
end

local function matches_entity(system, id)
  if system.of then
    return system.of.find_row(id) >= 0
  end
  for _, term in ipairs(system.record.terms) do
    if not C.world_has_component(W, id, components.by_name[term.name].id) then
      return false
    end
  end
  return true
end

-- Calls `call`, unless it is nil, for each entity of a system whose changes apply immediately. An earlier call may have
-- changed an entity in the list of `enter` so that it no longer matches. Skips such an entity without marking it as
-- handled, so that world_watch_return_entries cancels its `enter` and `leave`. Returns two booleans: true if an entity
-- was skipped, and true if `call` was called.
local function run_kind_at_once(system, kind, ids, count, call, begin)
  local has_skipped, is_called = false, false
  for i = 0, count - 1 do
    local id = ids[i]
    state.entity = id
    if kind == ENTER and not matches_entity(system, id) then
      has_skipped = true
    else
      if call then
        if begin then
          begin(id, i)
        end
        call(handle.handle(id))
        is_called = true
      end
      C.observer_mark_handled(W, system.observer, kind, i)
    end
  end
  return has_skipped, is_called
end

-- Counts the entities that a function has spawned in this tick. Throws if the system exceeds M.MAX_SPAWNED.
local function count_spawned(system, kind, count)
  system.spawned = system.spawned + math.max(count, 0)
  if system.spawned > M.MAX_SPAWNED then
    endless[system.declaration] = system.declaration[kind]
    report.raise("%s of %s spawned more than %d entities in one tick: check that the spawned entities do not "
      .. "cause further spawns, or spawn them over several ticks", kind, system.name, M.MAX_SPAWNED)
  end
end

-- Calls `leave`, `enter` and `changed` for the entities in the lists of the system's observer. Returns true if at least
-- one of the game's functions was called.
---@param system engine.System
---@return boolean works
function M.run(system)
  local observer, declaration, has_skipped, is_called = system.observer, system.declaration, false, false
  system.has_called = false
  current.watcher = C.observer_get_watcher(W, observer)
  C.observer_begin_delivery(W, observer)
  if system.skips_replaced then
    C.observer_drop_replaced(W, observer, system.skips_replaced.id)
  end
  last_values.begin(observer)
  for kind = 0, #KINDS - 1 do
    local call = declaration[KINDS[kind + 1]]
    local list = C.observer_get_list(W, observer, kind, count_out)
    local ids, count = ffi.cast("const int32_t *", list), count_out[0]
    local begin = kind == LEAVE and system.reads_last_values and last_values.begin_entity or nil
    local alive_count = entities.alive_count
    if count > 0 and system.at_once then
      local skipped, called = run_kind_at_once(system, kind, ids, count, call, begin)
      has_skipped, is_called = has_skipped or skipped, is_called or called
    elseif count > 0 and call then
      system.loops[kind + 1](ids, count, call, begin)
      is_called = true
    end
    last_values.finish()
    count_spawned(system, KINDS[kind + 1], entities.alive_count - alive_count)
  end
  if has_skipped then
    C.world_watch_return_entries(W, current.watcher)
  end
  state.entity = 0
  return is_called and (not system.skips_replaced or system.has_called)
end

-- Calls `leave` for the entities that have stopped matching, and `call` for those that match and for which `enter` has
-- been called. Used when the game ends. Returns the first error, after making all calls.
---@param system engine.System
---@param call fun(e: shoal.Entity) the behaviour's `destroy`
---@return any problem
function M.run_last(system, call)
  local entered, remaining, q, problem = {}, {}, (system.life or system.record).query, nil
  local function try(f, id)
    local ok, error_message = protected_call.call(f, handle.handle(id))
    problem = problem or not ok and error_message or nil
  end
  C.observer_begin_delivery(W, system.observer)
  local list = C.observer_get_list(W, system.observer, ENTER, count_out)
  for i = 0, count_out[0] - 1 do
    entered[list[i]] = true
  end
  for i = 0, q.count - 1 do
    remaining[#remaining + 1] = not entered[q.entities[i]] and q.entities[i] or nil
  end
  list = C.observer_get_list(W, system.observer, LEAVE, count_out)
  last_values.begin(system.observer)
  for i = 0, count_out[0] - 1 do
    state.entity = list[i]
    last_values.begin_entity(list[i], i)
    try(system.declaration.leave, list[i])
  end
  last_values.finish()
  for _, id in ipairs(remaining) do
    state.entity = id
    if handle.is_alive(id) and matches_entity(system, id) then
      try(call, id)
    end
  end
  state.entity = 0
  return problem
end

-- Raises the error for a system whose `enter`, `leave` or `changed` keeps triggering more calls in one tick.
---@param system engine.System
function M.fail_endless(system)
  C.observer_begin_delivery(W, system.observer)
  current.watcher = C.observer_get_watcher(W, system.observer)
  local kind_name, title = "changed", "an entity"
  for kind, function_name in ipairs(KINDS) do
    local ids = C.observer_get_list(W, system.observer, kind - 1, count_out)
    if count_out[0] > 0 then
      kind_name, title = function_name, components.format_title(ids[0])
    end
  end
  endless[system.declaration] = system.declaration[kind_name]
  report.raise("enter, leave and changed of %s ran %d rounds in one tick, most recently %s of %s, because they "
    .. "change what they observe: write only values that differ", system.name, M.MAX_ROUNDS, kind_name,
    title)
end

-- --- counters

-- Returns the number of rows of a component or singleton that were added, removed or changed since the first call.
---@param name string
---@return number
function M.changes(name)
  phases.check("world.changes")
  local component = type(name) == "string" and components.by_name[name]
  if not component then
    report.raise("world.changes: unknown component %s%s", report.show(name),
      type(name) == "string" and components.hint(name) or "")
  end
  return tonumber(C.changes_count(W, component.id)) --[[@as number]]
end

return M

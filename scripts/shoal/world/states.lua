-- Functions and `keep` in assemblage states. A function computes the fields of a component when a state is entered. All
-- functions are called before the first change, so the entity keeps its state if a function fails. The values of a
-- component with `keep` are stored in the world while the entity is in a different state (content/retained_values.h).
local need = ...
local abi = need("base/abi")
local protected_call = need("base/protected_call")
local handle = need("base/handle")
local phases = need("base/phases")
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")
local text = need("base/string_table")
local components = need("schema/component")
local value = need("schema/value")
local find_line = need("world/assemblage_lines")
local query = need("world/query")
local C, W = abi.C, abi.world

---@class engine.StateExtra the function and the `keep` of a component or instance
---@field f? function takes the entity and returns the fields
---@field keep? boolean true: the values are stored while the entity is in a different state

---@alias engine.StateExtras table<string, table<string, engine.StateExtra>> by component and instance

---@class engine.StateFunction
---@field component engine.Component
---@field instance string
---@field f function

---@class engine.states
local M = {}

-- Assemblage's name → state → engine.StateFunction[]. Contains only states that call functions.
local state_functions = {}
-- Assemblage's name → list of { at, name, state }: the entities of its tree (the root and its descendants) whose
-- initial states call functions. `at`: the entity's position in the ids of a spawn, from 1; `name`: the entity's
-- assemblage. The list's field `count` is the number of entities in the tree.
local trees = {}
local pending = {} -- entity id → state that the entity enters when the queued commands are applied

-- --- reading

---@param extras engine.StateExtras
---@param name string
---@param instance string
---@return engine.StateExtra
local function get_or_create_extra(extras, name, instance)
  extras[name] = extras[name] or {}
  extras[name][instance] = extras[name][instance] or {}
  return extras[name][instance]
end

-- Returns the plain fields declared for a component or instance, and stores its function or its `keep` in `extras`.
-- `extras` is nil outside states, where both are errors.
---@param extras? engine.StateExtras
---@param component engine.Component
---@param instance string
---@param fields any
---@return any fields
function M.read(extras, component, instance, fields)
  if type(fields) == "function" then
    if not extras then
      report.raise("%s: a function can compute values only in a state: states = { initial = …, … }", component.name)
    end
    extras[component.name] = extras[component.name] or {}
    extras[component.name][instance] = { f = fields }
    return {}
  elseif type(fields) ~= "table" then
    return fields
  end
  local keep = not component.by_name.keep and fields.keep
  if extras and extras[component.name] and extras[component.name][instance] then
    extras[component.name][instance].f = nil
  end
  if keep == nil or component.by_name.keep then
    return fields
  elseif type(keep) ~= "boolean" then
    report.raise("%s: keep must be true or false, got %s", component.name, report.describe(keep))
  elseif not extras then
    report.raise("%s: keep = true is allowed only in a component of a state, because it restores values with the "
      .. "state: move the component to a state", component.name)
  end
  get_or_create_extra(extras, component.name, instance).keep = keep
  local out = {}
  for key, v in pairs(fields) do
    if key ~= "keep" then
      out[key] = v
    end
  end
  return out
end

-- Merges `source` into `target`. A component in `source` replaces the function in `target` even if the component has
-- only plain values, but replaces `keep` only if the component declares `keep` or a function.
---@param target engine.StateExtras
---@param source engine.StateExtras
function M.merge(target, source)
  for name, instances in pairs(source) do
    for instance, extra in pairs(instances) do
      local target_extra = get_or_create_extra(target, name, instance)
      target_extra.f = extra.f
      if extra.keep ~= nil or extra.f then
        target_extra.keep = extra.keep
      end
    end
  end
end

-- --- declaring

function M.forget_all()
  state_functions, trees, pending = {}, {}, {}
end

-- Removes the state functions of these assemblages and their children.
---@param names table<string, any> set of assemblage names
function M.forget_assemblages(names)
  for _, list in ipairs { state_functions, trees } do
    for name in pairs(list) do
      if names[name:match("^[^/]+")] then
        list[name] = nil
      end
    end
  end
end

local function format_location(f)
  local info = debug.getinfo(f, "S")
  return info.source:sub(2) .. ":" .. info.linedefined .. ": "
end

-- Registers the functions and kept components of one state. `assemblage_id` and `template_number` identify the
-- assemblage and the template of the state in C.
---@param resolved engine.Assemblage
---@param state_name string
---@param assemblage_id integer
---@param template_number integer
function M.declare(resolved, state_name, assemblage_id, template_number)
  for _, name in ipairs(sorted_keys(resolved.extras[state_name] or {})) do
    local instances, component = resolved.extras[state_name][name], components.by_name[name]
    for _, instance in ipairs(sorted_keys(instances)) do
      local extra, instances_declared = instances[instance], resolved.states[state_name][name]
      if extra.f and instances_declared and instances_declared[instance] then
        local functions = state_functions[resolved.name] or {}
        state_functions[resolved.name], functions[state_name] = functions, functions[state_name] or {}
        table.insert(functions[state_name], { component = component, instance = instance, f = extra.f })
      end
      if extra.keep and instances_declared and instances_declared[instance] and #component.writable > 0 then
        local storage_name = text.intern_pinned(instance == "" and state_name or state_name .. "/" .. instance)
        local instance_id = instance == "" and 0 or text.intern_pinned(instance)
        if not C.retained_values_declare(W, assemblage_id, template_number, component.id, instance_id, storage_name,
          abi.error) then
          report.fail { message = abi.get_error_text(), file = resolved.at.file, piece = "assemblage " .. resolved.name,
            line = find_line(resolved.at, { resolved.name, "states", state_name, name }) }
        end
      end
    end
  end
end

-- Returns true if an assemblage has a state of this name that calls functions when an entity enters it.
---@param state_name string
---@return boolean
function M.calls_function(state_name)
  for _, functions in pairs(state_functions) do
    if functions[state_name] then
      return true
    end
  end
  return false
end

-- Returns true if any assemblage has a state that calls functions.
---@return boolean
function M.have_functions()
  return next(state_functions) ~= nil
end

-- Registers which initial states call functions when this assemblage is spawned: its own states and its descendants'
-- states.
---@param resolved engine.Assemblage
function M.plan(resolved)
  local list, count = {}, 0
  local function visit(assemblage)
    count = count + 1
    if assemblage.initial and state_functions[assemblage.name]
      and state_functions[assemblage.name][assemblage.initial] then
      list[#list + 1] = { at = count, name = assemblage.name, state = assemblage.initial }
    end
    for _, child in ipairs(assemblage.order) do
      visit(assemblage.children[child])
    end
  end
  visit(resolved)
  if #list > 0 then
    list.count = count
    trees[resolved.name] = list
  end
end

-- --- running

local function check_fields(component, fields)
  if fields == nil then
    report.raise("%s must be a table of fields, but the function returned nil", component.name)
  end
  return (value.check(component, fields))
end

-- Calls a function of a state, and checks and returns its fields. On failure, throws a message that contains the file
-- and line of the function and `caller`, which describes the operation that is cancelled.
local function call_state_function(item, id, caller)
  local phase, description = phases.enter("state",
    "the function of " .. item.component.name .. ": it returns fields and must not change the world")
  local ok, result = protected_call.call(item.f, handle.handle(id))
  phases.enter(phase, description)
  if not C.world_is_deferring(W) then
    query.close_opened_by_scripts()
  end
  if ok then
    ok, result = pcall(check_fields, item.component, result)
    result = ok and result or format_location(item.f) .. report.get_message(result)
  end
  if not ok then
    error(report.get_message(result) .. " (" .. caller .. ")", 0)
  end
  return result
end

local function find_item(list, item)
  for _, candidate in ipairs(list or {}) do
    if candidate.component == item.component and candidate.instance == item.instance then
      return candidate
    end
  end
end

local function compute_values(list, id, caller, previous_list)
  local computed = {}
  for i, item in ipairs(list) do
    local previous = find_item(previous_list, item)
    -- If the previous state used the same function, the entity keeps the function's previous values.
    if not (previous and previous.f == item.f) then
      computed[#computed + 1] = { component = item.component, instance = item.instance,
        values = call_state_function(list[i], id, caller) }
    end
  end
  return computed
end

-- Queues commands that set the computed values. Must be called after the command that adds the components has been
-- queued.
---@param id integer
---@param computed table[]
---@param set_fields fun(id: integer, component: engine.Component, instance: integer, values: any)
function M.apply(id, computed, set_fields)
  for _, item in ipairs(computed) do
    set_fields(id, item.component, item.instance == "" and 0 or text.intern(item.instance), item.values)
  end
end

-- Returns the values computed by the functions of the state `new_state`; nil if that state has no functions, or if the
-- entity is already in that state. While commands are deferred, records `new_state` as the entity's next state.
---@param id integer
---@param name string name of the entity's assemblage
---@param get_state fun(id: integer): string? returns the name of the entity's current state
---@param new_state string
---@return table[]? computed
function M.compute_on_enter(id, name, get_state, new_state)
  local functions = state_functions[name]
  if not functions then
    return nil
  end
  local current_state = pending[id] or get_state(id)
  if C.world_is_deferring(W) then
    pending[id] = new_state
  end
  local list = functions[new_state]
  if not list or current_state == new_state then
    return nil
  end
  return compute_values(list, id, string.format("%s stays in its state %s and does not enter %s",
    components.format_title(id), tostring(current_state), new_state), functions[current_state])
end

-- Clears the pending states. Called after the commands of a system have been applied or dropped.
function M.forget()
  if next(pending) ~= nil then
    pending = {}
  end
end

-- Returns the initial states that call functions when this assemblage is spawned; nil if no state does.
---@param name? string
---@return table[]? tree an element of `trees`
function M.get_tree(name)
  return name and trees[name]
end

-- Computes the values of the initial states of a spawned entity and its descendants, and queues commands that set them.
---@param tree table[] the result of M.get_tree
---@param ids ffi.cdata* shoal_entity[], in the order of creation
---@param get_setter fun(position: integer): function returns the function that sets the values of that entity
function M.apply_to_spawned(tree, ids, get_setter)
  for _, item in ipairs(tree) do
    local id = ids[item.at - 1]
    local caller = string.format("%s is not spawned", item.name)
    M.apply(id, compute_values(state_functions[item.name][item.state], id, caller), get_setter(item.at))
  end
end

return M

-- Functions and `keep` in the states of assemblages. A function computes the fields of a component when a state is
-- entered; functions are called before anything changes, so if one of them fails, the entity keeps its state. The
-- values of a component with `keep` are stored in the world while the entity is in other states
-- (content/retained_values.h).
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

---@class engine.StateExtra functions and kept fields of a component or one of its instances
---@field f? function takes the entity and returns the fields
---@field keep? boolean

---@alias engine.StateExtras table<string, table<string, engine.StateExtra>> by component and instance

---@class engine.StateFunction
---@field component engine.Component
---@field instance string
---@field f function

---@class engine.states
local M = {}

local state_functions = {} -- assemblage → state → engine.StateFunction[]; only states that call functions
-- assemblage → { at, name, state }[]: the entities of its tree whose initial states call functions. `at`: position from
-- 1 in the ids of a spawn; `name`: assemblage of that entity. `count` is the number of entities in the tree.
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

-- Merges `from` into `into`. A component in `from` replaces the function in `into` even if it has only plain values. It
-- replaces `keep` only if it declares `keep` or a function itself.
---@param into engine.StateExtras
---@param from engine.StateExtras
function M.merge(into, from)
  for name, instances in pairs(from) do
    for instance, extra in pairs(instances) do
      local to = get_or_create_extra(into, name, instance)
      to.f = extra.f
      if extra.keep ~= nil or extra.f then
        to.keep = extra.keep
      end
    end
  end
end

-- --- declaring

function M.forget_all()
  state_functions, trees, pending = {}, {}, {}
end

-- Forgets the state functions of these assemblages and their children.
---@param names table<string, any> by name
function M.forget_assemblages(names)
  for _, list in ipairs { state_functions, trees } do
    for name in pairs(list) do
      if names[name:match("^[^/]+")] then
        list[name] = nil
      end
    end
  end
end

local function format_location(give)
  local info = debug.getinfo(give, "S")
  return info.source:sub(2) .. ":" .. info.linedefined .. ": "
end

-- Registers the functions and kept components of one state. `number` and `template_number` identify the assemblage and
-- the template of the state in C.
---@param resolved engine.Assemblage
---@param state_name string
---@param number integer
---@param template_number integer
function M.declare(resolved, state_name, number, template_number)
  for _, name in ipairs(sorted_keys(resolved.extras[state_name] or {})) do
    local instances, component = resolved.extras[state_name][name], components.by_name[name]
    for _, instance in ipairs(sorted_keys(instances)) do
      local extra, part = instances[instance], resolved.states[state_name][name]
      if extra.f and part and part[instance] then
        local of = state_functions[resolved.name] or {}
        state_functions[resolved.name], of[state_name] = of, of[state_name] or {}
        table.insert(of[state_name], { component = component, instance = instance, f = extra.f })
      end
      if extra.keep and part and part[instance] and #component.writable > 0 then
        local as = text.intern_pinned(instance == "" and state_name or state_name .. "/" .. instance)
        local id = instance == "" and 0 or text.intern_pinned(instance)
        if not C.retained_values_declare(W, number, template_number, component.id, id, as, abi.error) then
          report.fail { message = abi.error_text(), file = resolved.at.file, piece = "assemblage " .. resolved.name,
            line = find_line(resolved.at, { resolved.name, "states", state_name, name }) }
        end
      end
    end
  end
end

-- Registers which initial states call functions when this assemblage is spawned: its own and those of its descendants.
---@param resolved engine.Assemblage
function M.plan(resolved)
  local list, count = {}, 0
  local function visit(of)
    count = count + 1
    if of.initial and state_functions[of.name] and state_functions[of.name][of.initial] then
      list[#list + 1] = { at = count, name = of.name, state = of.initial }
    end
    for _, child in ipairs(of.order) do
      visit(of.children[child])
    end
  end
  visit(resolved)
  if #list > 0 then
    list.count = count
    trees[resolved.name] = list
  end
end

-- --- running

local function check_fields(component, given)
  if given == nil then
    report.raise("%s must be a table of fields, but the function returned nil", component.name)
  end
  return (value.check(component, given))
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
  for _, other in ipairs(list or {}) do
    if other.component == item.component and other.instance == item.instance then
      return other
    end
  end
end

local function compute_values(list, id, caller, left_state)
  local computed = {}
  for i, item in ipairs(list) do
    local before = find_item(left_state, item)
    -- If the previous state used the same function, the entity keeps the values that it returned then.
    if not (before and before.f == item.f) then
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

-- Returns the values computed by the functions of the state `to`; nil if that state has no functions, or if the entity
-- is already in it. While commands are deferred, records `to` as the entity's next state.
---@param id integer
---@param name string name of the entity's assemblage
---@param now string? the current state of the entity
---@param to string
---@return table[]? computed
function M.compute_on_enter(id, name, now, to)
  local of = state_functions[name]
  if not of then
    return nil
  end
  now = pending[id] or now
  if C.world_is_deferring(W) then
    pending[id] = to
  end
  local list = of[to]
  if not list or now == to then
    return nil
  end
  return compute_values(list, id, string.format("%s stays in its state %s and does not enter %s",
    components.format_title(id), tostring(now), to), of[now])
end

-- Forgets pending states. Called after the commands of a system have been applied or dropped.
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
---@param get_setter fun(at: integer): function returns the function that sets the values of the entity at this position
function M.apply_to_spawned(tree, ids, get_setter)
  for _, item in ipairs(tree) do
    local id = ids[item.at - 1]
    local caller = string.format("%s is not spawned", item.name)
    M.apply(id, compute_values(state_functions[item.name][item.state], id, caller), get_setter(item.at))
  end
end

return M

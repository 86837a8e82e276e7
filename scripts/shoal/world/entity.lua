-- Entity methods, and access to components as fields (`e.health`). Both are in the metatable that all light
-- userdata share; entity handles are the only light userdata that scripts see.
local need, native = ...
local abi = need("base/abi")
local handle = need("base/handle")
local log = need("base/log")
local phases = need("base/phases")
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local text = need("base/string_table")
local api_hints = need("messages/api_hints")
local operator_errors = need("messages/operator_errors")
local components = need("schema/component")
local fast_commands = need("schema/fast_commands")
local last_values = need("schema/last_values")
local list = need("schema/list")
local schema = need("schema/schema")
local value = need("schema/value")
local assemblage = need("world/assemblage")
local event = need("world/event")
local query = need("world/query")
local relation = need("world/relation")
local states = need("world/states")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.entity
local M = {}
local methods = {}

-- Returns the id of a living entity, and throws for all other values. The error about a dead entity names the tick of
-- its destruction, and the system that destroyed it.
---@param e any
---@param method string
---@return integer id
local function get_living_id(e, method)
  local id = handle.get_id(e)
  if not id then
    report.raise("e:%s(): %s is not an entity: call it with a colon, e:%s(…)", method, report.show(e), method)
  elseif not handle.is_alive(id) then
    report.raise("e:%s(): %s (check with e:alive())", method, components.describe_dead(id))
  end
  return id
end

-- Returns true if `e` is an entity that has died. An event may refer to such an entity, so some methods do not throw
-- for it: e:has returns false; e:state, e:parent and e:child return nil; e:children returns an empty list; and e:name
-- and e:assemblage return the entity's last name and assemblage.
local function has_died(e)
  local id = handle.get_id(e)
  return id ~= nil and id ~= 0 and not handle.is_alive(id)
end

-- Spawns the objects of new tilemaps, if changes apply immediately, so that a `start` function finds them. In systems,
-- the system shoal.map_objects does this in the next tick.
function M.fill_tilemaps()
  local component = components.by_name.tilemap
  if component and component.manager.count > 0 and not C.world_is_deferring(W) then
    native.fill_tilemaps()
  end
end

-- Prepares a change to the world by a script: throws if changes are not allowed in this phase and, outside systems,
-- closes the queries that scripts opened. Must be called before every change.
---@param caller string name of the calling function, for the error
local function check_can_change(caller)
  phases.check(caller)
  if not C.world_is_deferring(W) then
    query.close_opened_by_scripts() -- the change may move the columns of these queries
  end
end
M.changing = check_can_change

-- Returns the string id of an instance's name, or 0 if `instance` is nil. `get_id`: text.intern if the instance may be
-- new, otherwise text.find.
local function get_instance_id(component, instance, method, get_id)
  if instance == nil then
    return 0
  elseif component.kind ~= "many" then
    report.raise("e:%s: %s has no named instances: declare it with shoal.types.many", method, component.name)
  elseif type(instance) ~= "string" then
    report.raise("e:%s: the instance name must be a string, got %s", method, report.describe(instance))
  end
  return get_id(instance)
end

local function is_unknown(instance, instance_id)
  return instance_id == 0 and instance ~= nil and instance ~= ""
end

local function set_packed_value(id, component, instance, i)
  if not C.world_set_field(W, id, component.id, instance, value.columns[i], value.numbers[i], abi.error) then
    report.raise("%s", abi.get_error_text())
  end
end

-- Sets the `n` values that value.pack stored. The first three are set without a loop: a loop here would make LuaJIT
-- abort the compilation of a loop in the caller.
local function set_packed(id, component, instance, n)
  if n > 0 then
    set_packed_value(id, component, instance, 0)
  end
  if n > 1 then
    set_packed_value(id, component, instance, 1)
  end
  if n > 2 then
    set_packed_value(id, component, instance, 2)
  end
  for i = 3, n - 1 do
    set_packed_value(id, component, instance, i)
  end
end

---@param id integer
---@param component engine.Component
---@param instance integer string id of the instance's name, 0 if it is unnamed
---@param values any
local function set_fields(id, component, instance, values)
  set_packed(id, component, instance, value.pack(component, values))
end
M.set_fields = set_fields

-- Do not write `return C.f(…)` below: a function that ends in a tail call into C cannot be part of a compiled loop.
local function require_component(name, method)
  local component = components.by_name[name]
  if not component then
    components.find(name, "e:" .. method)
  elseif component.kind == "single" then
    report.raise("e:%s: %s is a singleton, which belongs to no entity: use world.single.%s", method, name, name)
  end
  return component
end

function methods.alive(e)
  local id = handle.get_id(e)
  if not id then
    report.raise("e:alive(): %s is not an entity: call it with a colon, e:alive()", report.show(e))
  end
  return (handle.stays_alive(id))
end

-- e:destroy, e:add and e:remove first try to extend the previous command (fast_commands.lua), which needs no call into
-- C. They do not call `check_can_change` first: the existence of a command to extend implies that the world may be
-- changed, except while this VM is loading files or drawing, which sets `state.may_change` to false.

function methods.destroy(e)
  local id = handle.get_id(e)
  if id and state.may_change and fast_commands.destroy(id) then
    return true
  end
  check_can_change("e:destroy")
  if not id then
    report.raise("e:destroy(): %s is not an entity: call it with a colon, e:destroy()", report.show(e))
  end
  return (C.world_destroy_entity(W, id))
end

-- Returns the id of the dead entity `e` while its `leave` or a handler of an event that refers to `e` is running,
-- otherwise nil. Read-only methods use the id to return the entity's last values.
local function get_dead_id(e)
  if not last_values.are_readable() then
    return nil
  end
  local id = handle.get_id(e)
  return id and last_values.has_values(id) and not handle.is_alive(id) and id or nil
end

function methods.has(e, name, target)
  local dead_id = get_dead_id(e)
  if dead_id then
    return last_values.has(require_component(name, "has"), dead_id)
  elseif has_died(e) then
    require_component(name, "has") -- an unknown name is still an error
    return false
  end
  local id = get_living_id(e, "has")
  if target ~= nil then
    return relation.has(id, require_component(name, "has"), target)
  end
  local is_present = components.has(require_component(name, "has"), id)
  return is_present
end

function methods.add(e, name, values, instance)
  if values == nil and instance == nil and state.may_change then
    local id, component = handle.get_id(e), components.by_name[name]
    if id and component and fast_commands.try_change(component.add_code, id) then
      return e
    end
  end
  check_can_change("e:add")
  local id = get_living_id(e, "add")
  local component = require_component(name, "add")
  if handle.get_id(values) and type(instance) ~= "string" and relation.adds_pair(component) then
    relation.add(id, component, values, instance, set_packed)
    return e
  end
  relation.check_has_target(component, values, instance)
  local instance_id = get_instance_id(component, instance, "add", text.intern)
  local n = values ~= nil and value.pack(component, values) or 0
  if not C.world_add_component(W, id, component.id, instance_id, abi.error) then
    report.raise("e:add: %s", abi.get_error_text())
  end
  set_packed(id, component, instance_id, n)
  if component.name == "tilemap" then
    M.fill_tilemaps()
  end
  return e
end

function methods.set(e, name, values, instance)
  check_can_change("e:set")
  local id = get_living_id(e, "set")
  local component = require_component(name, "set")
  if type(instance) == "table" and handle.get_id(values) then
    set_fields(id, component, relation.get_instance(id, component, values), instance)
    return e
  end
  local instance_id = get_instance_id(component, instance, "set", text.find)
  if not C.world_has_component(W, id, component.id) and not C.world_is_component_pending(W, id, component.id) then
    components.fail_missing(component, id)
  elseif is_unknown(instance, instance_id) then
    components.fail_missing_instance(component, id, instance)
  end
  set_fields(id, component, instance_id, values)
  return e
end

function methods.remove(e, name, instance)
  if instance == nil and state.may_change then
    local id, row_hint = handle.find_id_and_row(e)
    local component = components.by_name[name]
    if id and component and fast_commands.is_next(component.remove_code) and component.row_at(id, row_hint) >= 0
      and fast_commands.try_change(component.remove_code, id) then
      return true
    end
  end
  check_can_change("e:remove")
  local id = get_living_id(e, "remove")
  local component = require_component(name, "remove")
  if handle.get_id(instance) then
    return relation.remove(id, component, instance)
  end
  local row_hint = get_instance_id(component, instance, "remove", text.find)
  local is_removed = not is_unknown(instance, row_hint) and C.world_remove_component(W, id, component.id, row_hint)
  if not is_removed and not C.world_check_removal(W, id, component.id, abi.error) then
    report.raise("e:remove: %s", abi.get_error_text())
  end
  return is_removed
end

-- Returns the entity's id, the component `disabled`, and the string id of an instance's name. e:disable(name) adds this
-- instance of `disabled`, and e:enable(name) removes it.
local function find_disabled_instance(e, name, method)
  check_can_change(method == "disable" and "e:disable" or "e:enable")
  local id, disabled = get_living_id(e, method), components.by_name.disabled
  if name == nil then
    return id, disabled, text.intern("entity") -- disables the whole entity: DISABLED_WHOLE in ecs/query.h
  end
  local component = require_component(name, method)
  if component == disabled then
    report.raise("e:%s: the component `disabled` cannot be enabled or disabled", method)
  elseif not C.world_has_component(W, id, component.id) and not C.world_is_component_pending(W, id, component.id) then
    components.fail_missing(component, id)
  end
  return id, disabled, text.intern(component.name)
end

function methods.disable(e, name)
  local id, disabled, instance = find_disabled_instance(e, name, "disable")
  if not C.world_add_component(W, id, disabled.id, instance, abi.error) then
    report.raise("e:disable: %s", abi.get_error_text())
  end
  return e
end

function methods.enable(e, name)
  local id, disabled, instance = find_disabled_instance(e, name, "enable")
  C.world_remove_component(W, id, disabled.id, instance)
  return e
end

-- Enters a state and sets the values computed by its functions; on failure, does neither.
local function enter_state(id, state_id, computed)
  C.world_defer_begin(W, 0)
  local ok, problem = pcall(function()
    if not C.world_enter_state(W, id, state_id, abi.error) then
      report.raise("e:enter: %s", abi.get_error_text())
    end
    states.apply(id, computed, set_fields)
  end)
  C.world_defer_end(W, not ok)
  if not ok then
    error(problem, 0)
  end
end

local function get_state(id)
  local name = abi.entities.state[handle.index(id)]
  return name ~= 0 and text.get_text(name) or nil
end

local reported_removals = {}

-- Warns that an entity cannot enter a state because its assemblage was removed. Warns once per assemblage and state.
-- Does not throw, because an error would park the calling system also for entities that can enter the state.
local function warn_of_removed(id, name, assemblage_name)
  local problem = string.format("e:enter: %s cannot enter %s: its assemblage %s was removed: keep the assemblage until "
    .. "the entity is gone, or destroy and respawn the entity", components.format_title(id), name, assemblage_name)
  if native.strict then
    report.raise("%s", problem)
  elseif not reported_removals[assemblage_name .. "\n" .. name] then
    reported_removals[assemblage_name .. "\n" .. name] = true
    log.warn("%s (reported once)", report.add_location(problem))
  end
end

function methods.enter(e, name)
  check_can_change("e:enter")
  local id = get_living_id(e, "enter")
  if type(name) ~= "string" then
    report.raise("e:enter: expected the name of a state, got %s", report.describe(name))
  end
  local state_id = text.find(name) -- 0 if the world does not contain the string, which is then not the name of a state
  local assemblage_name = text.get_text(abi.entities.assemblage[handle.index(id)])
  local computed = state_id ~= 0 and states.compute_on_enter(id, assemblage_name, get_state, name)
  if computed then
    enter_state(id, state_id, computed)
  elseif state_id == 0 or not C.world_enter_state(W, id, state_id, abi.error) then
    local template = assemblage.find(assemblage_name)
    if assemblage_name ~= "" and not template then
      warn_of_removed(id, name, assemblage_name)
      return e
    end
    local available = template and template.states or {}
    if available[name] then
      report.raise("e:enter: %s", abi.get_error_text())
    end
    report.raise("%s has no state %s%s; available: %s", components.format_title(id), name, report.suggest(name,
      available), report.join_names(available))
  end
  return e
end

function methods.state(e)
  local dead_id = get_dead_id(e)
  if dead_id then
    local state_name = last_values.get_state(dead_id)
    return state_name ~= "" and state_name or nil
  elseif has_died(e) then
    return nil
  end
  local id = get_living_id(e, "state")
  if not handle.is_queued(id) then
    return get_state(id)
  end
  local name = C.queued_state(W, id)
  return name ~= 0 and text.get_text(name) or nil
end

-- Returns a string that the world stores for a dead entity until it reuses the entity's index; afterwards, or if the
-- string is empty, returns nil. `ids`: string ids by entity index.
local function get_last_text(e, ids)
  local index = handle.find_last_index(handle.get_id(e))
  local id = index and ids[index] or 0
  return id ~= 0 and text.get_text(id) or nil
end

function methods.assemblage(e)
  local dead_id = last_values.active and get_dead_id(e)
  if dead_id then
    local assemblage_name = last_values.get_assemblage()
    return assemblage_name ~= "" and assemblage_name or nil
  elseif has_died(e) then
    return get_last_text(e, abi.entities.assemblage)
  end
  local name = abi.entities.assemblage[handle.index(get_living_id(e, "assemblage"))]
  return name ~= 0 and text.get_text(name) or nil
end

function methods.name(e)
  local dead_id = get_dead_id(e)
  if dead_id then
    return last_values.get_field(components.by_name.name, dead_id, "value")
  elseif has_died(e) then
    return get_last_text(e, abi.entities.state)
  end
  local id = get_living_id(e, "name")
  local component = components.by_name.name
  return component and component.get.value(id) or nil
end

function methods.parent(e)
  if has_died(e) then
    return nil
  end
  local id = C.transform_find_parent(W, get_living_id(e, "parent"))
  return id ~= 0 and handle.handle(id) or nil
end

function methods.children(e)
  if has_died(e) then
    return {}
  end
  local id = get_living_id(e, "children")
  local count = C.transform_list_children(W, id, nil, 0)
  local ids = ffi.new("shoal_entity[?]", math.max(count, 1))
  C.transform_list_children(W, id, ids, count)
  local out = {}
  for i = 1, count do
    out[i] = handle.handle(ids[i - 1])
  end
  return out
end

-- Returns the name of a child's assemblage, such as "tank/turret". An inherited child has the prefix of the declaring
-- assemblage.
local function find_child_assemblage(parent_assemblage, name)
  local template = assemblage.find(parent_assemblage)
  local child = template and template.children[name]
  return child and child.name or parent_assemblage .. "/" .. name
end

function methods.child(e, name)
  if handle.get_id(e) and type(name) ~= "string" and type(name) ~= "number" then
    report.raise("e:child: expected the name of a child or its position in a list, got %s", report.describe(name))
  elseif has_died(e) then
    return nil
  end
  local parent_name_id = abi.entities.assemblage[handle.index(get_living_id(e, "child"))]
  local child_name_id = parent_name_id ~= 0 and text.find(find_child_assemblage(text.get_text(parent_name_id),
    tostring(name))) or 0
  for _, child in ipairs(child_name_id ~= 0 and methods.children(e) or {}) do
    if abi.entities.assemblage[handle.index(handle.get_id(child))] == child_name_id then
      return child
    end
  end
  return nil
end

-- Returns the fields of a row by name. `convert(v, type)` converts each value. `settable_only`: omits read-only fields.
local function describe_row(component, row, convert, settable_only)
  local out = {}
  for _, item in ipairs(component.writable) do
    if item.field then
      local read_field = component.get_row[item.field.name]
      if read_field and not (settable_only and item.field.read_only) then
        value.set_path(out, item.field.name, convert(read_field(row), item.field.type))
      end
    elseif item.list then
      local values = list.copy(component.list_rows[item.base], row)
      for i, v in ipairs(values) do
        values[i] = convert(v, item.list.type)
      end
      value.set_path(out, item.base, convert(values, "list"))
    elseif not item.parts[1].hidden and not (settable_only and item.parts[1].read_only) then
      local parts = {}
      for i, part in ipairs(item.parts) do
        parts[i] = convert(component.get_row[part.name](row), part.type)
      end
      value.set_path(out, item.base, parts)
    end
  end
  return out
end

-- Returns the visible fields of all components of a living entity as plain tables: component → field → value, or
-- component → instance → field → value.
---@param id integer
---@param convert fun(v: any, kind: string): any converts each value
---@param settable_only? boolean true: leaves out read-only fields
---@return table<string, table<string, any>>
local function describe(id, convert, settable_only)
  local out = {}
  for _, component in pairs(components.ids) do
    local name = component.name
    if component.kind ~= "single" and components.has(component, id) then
      component = components.resolve_queued(component, id)
      local row = C.manager_find_instance_row(component.manager, id, 0)
      if component.kind == "many" then
        out[name] = {}
        local manager = component.manager
        for i = 0, manager.count - 1 do
          if manager.owner[i] == id then
            out[name][text.get_text(manager.instance[i])] = describe_row(component, i, convert, settable_only)
          end
        end
      else
        out[name] = describe_row(component, row, convert, settable_only)
      end
    end
  end
  return out
end
M.describe = describe

local function return_unchanged(v)
  return v
end

function methods.describe(e)
  local out = describe(get_living_id(e, "describe"), return_unchanged)
  for name, values in pairs(out) do
    values.requires = components.by_name[name].requires and { unpack(components.by_name[name].requires) }
  end
  return out
end

function methods.send(e, name, values)
  check_can_change("e:send")
  local id = get_living_id(e, "send")
  if not event.is_public(name) then
    report.raise("e:send: unknown event %s%s", report.show(name), event.hint(name))
  end
  event.send(id, name, values)
end

-- Members of queries that entities lack. A script that reads them from an entity probably has an `each` written like an
-- `update`.
local OF_QUERIES = { count = true, entity = true }

-- Raises the error for an unknown member of an entity.
---@param name any
function M.fail_unknown_member(name)
  if OF_QUERIES[name] then
    report.raise("an entity has no component or method %s: `each = function(e, dt)` gets one entity at a time and "
      .. "needs no loop; "
      .. "a loop over q.count belongs in `update = function(q, dt)`", name)
  end
  local hint = api_hints.find_hint("entity", name)
  if hint ~= "" then
    report.raise("an entity has no component or method %s%s", name, hint)
  elseif assemblage.resolved[name] or components.renamed[name] then
    report.raise("an entity has no component or method %s%s", name, components.hint(name))
  end
  local nearest = report.find_nearest(name, components.by_name) or report.find_nearest(name, methods)
  local names = sorted_keys(components.by_name)
  table.insert(names, 1, "transform") -- suggested first for x and y, although more components have these fields
  report.raise("an entity has no component or method %s%s", report.show(name),
    nearest and ": did you mean " .. nearest .. "?" or components.suggest_member(name, "e", names))
end

local fail_unknown_member = M.fail_unknown_member

local function reject_arithmetic()
  report.raise("an entity is not a number or a string: read one of its fields, e.health.hp, or use tostring(e)")
end

-- Fixes for assignments to methods, for error messages.
local SETTERS = { name = ": use e:set(\"name\", { value = … })", parent = ": write e.transform.parent = …",
  state = ": use e:enter(\"STATE\")" }

-- Throws the error for e.health = 3 or e.destroy = f. `component`: the component, nil if `name` is a method.
local function fail_assignment(component, name)
  local item = component and component.writable[1]
  local field = item and (item.base or item.field.name)
  if not component or methods[name] then
    report.raise("e.%s cannot be assigned, because it is a method%s", name, SETTERS[name] or "")
  elseif component.kind == "single" then
    report.raise("e.%s: %s is a singleton, which belongs to no entity: use world.single.%s", name, name, name)
  elseif not field then
    report.raise("e.%s cannot be assigned: use e:add(\"%s\") or e:remove(\"%s\")", name, name, name)
  end
  report.raise("e.%s: write a field, e.%s.%s = …, or use e:add(\"%s\", { … })", name, name, field, name)
end

local metatable = operator_errors({
  __index = function(e, name)
    local method = methods[name]
    if method then
      return method
    end
    local create_accessor = components.accessor[name]
    if create_accessor then
      local id, row_hint = handle.find_id_and_row(e)
      local component = components.by_name[name]
      local row = component.row_at(id, row_hint)
      if row >= 0 and row_hint >= 0 and handle.keeps_accessors() and component.kind == "component"
        and not last_values.active then
        local kept_accessor = component.get_kept_accessor(id, row)
        return kept_accessor
      elseif row >= 0 and last_values.active and component.kind == "component" and last_values.has(component, id) then
        -- The component was removed and added again: `leave` reads the values of the removed row.
        create_accessor = components.last_values[name]
      elseif row < 0 and not last_values.has(component, id)
        and not (handle.is_alive(id) and C.world_is_component_pending(W, id, component.id)) then
        components.fail_missing(component, id)
      end
      local accessor = create_accessor(id, row)
      return accessor
    end
    fail_unknown_member(name)
  end,
  __newindex = function(_, name)
    local component = components.by_name[name]
    if not component and not methods[name] then
      fail_unknown_member(name)
    end
    fail_assignment(component, report.show(name))
  end,
  __tostring = function(e)
    local id = handle.get_id(e)
    return not id and "userdata" or id == 0 and "none" or components.format_title(id --[[@as integer]])
  end,
  __metatable = false,
}, reject_arithmetic)

native.set_handle_metatable(metatable)

local is_listed = {}
for _, name in ipairs(schema.entity_methods) do
  is_listed[name] = true
end

-- Adds entity methods that other files implement.
---@param new_methods table<string, function> methods, indexed by name
function M.add_methods(new_methods)
  phases.require_rows("e:", new_methods)
  for name, method in pairs(new_methods) do
    assert(is_listed[name], name)
    methods[name] = method
  end
end
M.add_methods(methods)

M.living = get_living_id
return M

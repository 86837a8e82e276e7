-- Behaviours: components with functions. behaviours/guard.lua declares the component `guard` and the system `guard`.
-- The system calls `create`, `destroy` and the handlers of `on`; `update` runs as an `each` over the component.
-- `render` has a separate system; `enable` and `disable` share a second system. Behaviours are therefore reloaded,
-- saved and, after errors, parked like components and systems. `self` is the accessor e.guard.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local late_binding = need("base/late_binding")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local bytecode = need("compile/bytecode")
local api_hints = need("messages/api_hints")
local column = need("schema/column")
local components = need("schema/component")
local renames = need("schema/renames")
local schema = need("schema/schema")
local value = need("schema/value")
local system = need("systems/system")
local event = need("world/event")
local C, W = abi.C, abi.world

---@class engine.behaviour
local M = {}
local KEYS = { fields = "table", on = "table", any = "boolean", create = "function", update = "function",
  destroy = "function", render = "function", enable = "function", disable = "function", after = "names",
  before = "names", priority = "number", when = "table", scene = "names", doc = "string",
  requires = "names" }

-- Names of the functions that the engine calls in addition to the handlers of `on`.
local LIFECYCLE_FUNCTIONS = { create = true, update = true, destroy = true, render = true, enable = true,
  disable = true }

local is_method = {}
for _, method in ipairs(schema.entity_methods) do
  is_method[method] = true
end

-- Returns the name of the component that a file declares: "crow" for "behaviours/birds/crow.lua".
---@param file string
---@return string
function M.get_name(file)
  return (file:match("([^/]+)%.lua$"))
end

-- Raises the error for an unknown member of a behaviour; suggests components and methods of the entity.
function late_binding.fail_unknown_member(component, name)
  local hint
  local rename = late_binding.renamed_field(component.name, name)
  if rename then
    hint = ": " .. rename
  elseif name == "state" then
    hint = ": use self.NAME instead of self.state.NAME"
  elseif components.by_name[name] then
    hint = string.format(": did you mean self.entity.%s?", name)
  elseif is_method[name] then
    hint = string.format(": did you mean self.entity:%s(…)?", name)
  elseif not report.find_nearest(name, component.by_name) and not report.find_nearest(name, component.functions) then
    hint = string.format(": declare it in the fields of %s", component.schema.at.file)
  else
    hint = string.format(": did you mean %s?", report.find_nearest(name, component.by_name)
      or report.find_nearest(name, component.functions))
  end
  report.raise("%s has no field or function %s%s", component.name, report.show(name), hint)
end

-- --- checks of a behaviour's file

-- Rejects a function whose first parameter is named `dt`, `ev` or `event`: the first parameter is `self`.
local function check_self(f, fail, key, arguments)
  local first_parameter = debug.getlocal(f, 1)
  if first_parameter == "dt" or first_parameter == "ev" or first_parameter == "event" then
    fail(key, "the first parameter of %s must be self: %s = function(self%s) … end", key, key, arguments)
  end
end

-- Checks a function that the engine does not call. Its name must not be `entity`, a function name of another engine
-- (messages/api_hints.lua), or similar to the name of a function that the engine calls; its first parameter must be
-- `self`.
local function check_function(key, f, fail)
  local hint = api_hints.find_hint("behaviour", key)
  local nearest = report.find_nearest(key, LIFECYCLE_FUNCTIONS)
  if key == "entity" then
    fail(key, "self.entity is reserved for the entity: choose a different name for the function")
  elseif hint ~= "" then
    fail(key, "a behaviour has no field %s%s", key, hint)
  elseif nearest then
    fail(key, "a behaviour has no field %s (did you mean %s?): rename the function if it is your own", key, nearest)
  end
  check_self(f, fail, key, "")
end

-- Rejects self.state.NAME, the syntax of earlier versions, unless the behaviour has a field `state`.
local function check_old_state(f, fields, fail)
  if fields.state ~= nil or not bytecode.is_known then
    return
  end
  local line = bytecode.find_line_of_member(f, 0, "state")
  if line then
    fail(line, "use self.NAME instead of self.state.NAME, and declare NAME in fields = { … }")
  end
end

-- Validates the table returned by a behaviour's file. Returns the declaration, and all its functions by name: those
-- that the engine calls and the behaviour's own. Calls `fail` for the first error.
local function check_behaviour(name, declaration, fail)
  if type(declaration) ~= "table" then
    fail(nil, "the file must return a table: return { fields = { … }, update = function(self, dt) … end }")
  end
  local functions = {}
  declaration = value.copy_declared(declaration, KEYS)
  local fields = type(declaration.fields) == "table" and declaration.fields or {}
  for _, key in ipairs(sorted_keys(declaration)) do
    local v, expected = declaration[key], KEYS[key]
    if not expected and (type(key) ~= "string" or type(v) ~= "function") then
      fail(key, "a behaviour has no field %s%s; available: %s, and your own functions", tostring(key),
        api_hints.suggest("behaviour", key, KEYS), report.join_names(KEYS))
    elseif not expected then
      check_function(key, v, fail)
    -- `before`, `after` and `requires` are checked later, when the behaviour's system and component are added.
    elseif type(v) ~= expected and expected ~= "names" then
      fail(key, "%s must be a %s, got %s", key, expected, report.describe(v))
    elseif type(v) == "function" then
      check_self(v, fail, key, (key == "update" or key == "render") and ", dt" or "")
    end
    if type(v) == "function" then
      if fields[key] ~= nil then
        fail(key, "%s.%s is both a field and a function: choose a different name for one of them", name, key)
      end
      functions[key] = v
      check_old_state(v, fields, fail)
    end
  end
  if fields.entity ~= nil then
    fail("entity", "self.entity is reserved for the entity: choose a different name for the field")
  end
  declaration.on = value.copy_declared(declaration.on or {}, {})
  if declaration.any and not next(declaration.on) then
    fail("any", "any = true requires at least one event in on: "
      .. "add on = { collision = function(self, ev) … end }")
  end
  return declaration, functions
end

-- --- events

-- Copies a row of an event into a table, so that handlers do not see each other's changes.
local function copy_row(fields, view, i)
  local out = {}
  for _, item in ipairs(fields) do
    if item.field then
      value.set_path(out, item.field.name, value.get_path(view, item.field.name)[i])
    elseif item.list then
      value.set_path(out, item.base, value.get_list_values(value.get_path(view, item.base)[i]))
    else
      local parts, columns = {}, value.get_path(view, item.base)
      for k = 1, #item.parts do
        local axis = ("xyzw"):sub(k, k)
        parts[axis] = columns[axis][i]
      end
      value.set_path(out, item.base, parts)
    end
  end
  return out
end

-- Returns the entities in the entity fields of row `i` of an event, each once, in the order of the fields.
local function list_named_entities(columns, i)
  local ids, added = {}, {}
  for _, entity_column in ipairs(columns) do
    local id = entity_column:raw(i)
    if id ~= 0 and not added[id] then
      added[id] = true
      ids[#ids + 1] = id
    end
  end
  return ids
end

-- Returns a function that takes a row index of an event and lists the entities that receive the row. If e:send emitted
-- the row, this is only its target. Otherwise, it lists all entities of `query` if `any` is set, or else the entities
-- in the event's entity fields. The list may include entities that lack the behaviour.
local function collect_receivers(view, component, any, query)
  local columns, sent_column, all_ids = {}, rawget(column.get_contents(view), event.SENT), {}
  for _, field in ipairs(component.fields) do
    columns[#columns + 1] = field.type == "entity" and view[field.name] or nil
  end
  for i = 0, any and query.count - 1 or -1 do
    all_ids[i + 1] = query.entities[i]
  end
  return function(i)
    if sent_column and sent_column[i] then
      return { view.entity:raw(i) }
    end
    return any and all_ids or list_named_entities(columns, i)
  end
end

-- Returns a handler of the event that calls the behaviour's handler for each row and each receiver (collect_receivers)
-- whose behaviour is enabled. The handler returns system.NO_RECEIVER if no row had a receiver.
local function create_handler(component, behaviour, event_name, get_query)
  local event_type, handler, create_accessor = event.by_name[event_name], behaviour.on[event_name], nil
  return function(view)
    local receivers = collect_receivers(view, event_type, behaviour.any, get_query())
    local is_called = false
    create_accessor = components.accessor[component.name]
    for i = 1, view.count do
      for _, id in ipairs(receivers(i)) do
        local row = component.find_row(id)
        if row >= 0 and not C.world_is_disabled(W, id, component.id) then
          state.entity = id
          handler(create_accessor(id, row), copy_row(event_type.writable, view, i))
          is_called = true
        end
      end
    end
    state.entity = 0
    return not is_called and system.NO_RECEIVER or nil
  end
end

-- Checks the handlers: an event without entity fields requires `any`, and the first parameter of each handler must be
-- `self`.
local function check_handlers(behaviour, fail)
  for event_name, handler in pairs(behaviour.on) do
    local event_type, is_addressed = event.by_name[event_name], behaviour.any or false
    for _, field in ipairs(event_type and event_type.fields or {}) do
      is_addressed = is_addressed or field.type == "entity"
    end
    if event_type and not is_addressed then
      fail(event_name, "the event %s has no entity field: add one, or set any = true to receive every event",
        event_name)
    elseif type(handler) == "function" then
      check_self(handler, fail, event_name, ", ev")
    end
  end
end

-- --- systems of a behaviour

local function create_system(component, behaviour, get_query)
  local declaration = { phase = "update", query = { component.name }, each = behaviour.update, on = {},
    doc = behaviour.doc,
    after = behaviour.after, before = behaviour.before, priority = behaviour.priority, when = behaviour.when,
    scene = behaviour.scene }
  declaration.enter = behaviour.create and function(e)
    C.vm_restart_budget(abi.vm, abi.BUDGET_START)
    behaviour.create(components.accessor[component.name](handle.get_id(e), -1))
    C.vm_restart_budget(abi.vm, abi.BUDGET_SYSTEM)
  end
  declaration.leave = behaviour.destroy and function(e)
    behaviour.destroy(components.last_values[component.name](handle.get_id(e), -1))
  end
  for event_name, handler in pairs(behaviour.on) do
    local is_handled = event.by_name[event_name] and type(handler) == "function"
    declaration.on[event_name] = is_handled and create_handler(component, behaviour, event_name, get_query) or handler
  end
  return declaration
end

-- Adds a separate system for `render`, which belongs to the render phase.
local function add_drawing(component, behaviour, source)
  local render_system = system.add(component.name
    .. ":render", { phase = "render", query = { component.name }, each = behaviour.render,
    priority = behaviour.priority, when = behaviour.when,
    scene = behaviour.scene }, source,
    { body = "render", kind = "behaviour", of = component,
    part_of = component.name }) --[[@as engine.System]]
  render_system.functions = { render = behaviour.render }
  render_system.title = "behaviour " .. component.name .. ", render"
end

-- Adds a system whose enter and leave handlers call `enable` and `disable`, because its query skips disabled entities.
-- Neither function is called if the entity has died or lost the behaviour, because `destroy` has been called then.
-- Neither is called if the entity lost the behaviour and got it again, because `destroy` and `create` have been called.
local function add_enabling(component, behaviour, source)
  local enabled_system ---@type engine.System
  local function create_caller(call)
    return function(e)
      local id = handle.get_id(e) --[[@as integer]]
      local row = handle.is_alive(id) and component.find_row(id) or -1
      if call and row >= 0 then
        enabled_system.has_called = true
        call(components.accessor[component.name](id, row))
      end
    end
  end
  enabled_system = system.add(component.name .. ":enabled",
    { phase = "update", after = { component.name }, query = { component.name },
    enter = create_caller(behaviour.enable), leave = create_caller(behaviour.disable), when = behaviour.when,
    scene = behaviour.scene }, source,
    { kind = "behaviour", changes = "enable and disable", part_of = component.name })
    --[[@as engine.System]]
  enabled_system.skips_replaced = component
  enabled_system.functions = { ["enable and disable"] = behaviour.enable or behaviour.disable }
  enabled_system.title = "behaviour " .. component.name
end

-- Checks the declaration that a behaviour file returned, and adds its component and systems.
---@param name string
---@param declaration any
---@param source engine.At
---@return engine.Schema
function M.add(name, declaration, source)
  local function fail(key, text_format, ...)
    report.fail { message = string.format(text_format, ...), file = source.file, piece = "behaviour " .. name,
      line = type(key) == "number" and key or key and report.find_line(source.text, key) or 1 }
  end
  local behaviour, functions = check_behaviour(name, declaration, fail)
  check_handlers(behaviour, fail)
  local component = components.add_declared(schema.read(name, behaviour.fields or {}, "behaviour", source,
    behaviour.requires))
  component.functions = functions
  for key, f in pairs(source.addon and functions or {}) do
    functions[key] = scope.wrap(f, source.addon)
  end
  local new_system ---@type engine.System
  local system_declaration = create_system(component, behaviour, function() return new_system.record.query end)
  new_system = system.add(name, system_declaration, source,
    { kind = "behaviour", changes = "create and destroy", body = "update", of = component })
    --[[@as engine.System]]
  -- The changes of `create` and `destroy` apply immediately, like the changes of a system's `start`.
  new_system.at_once = system_declaration.enter ~= nil or system_declaration.leave ~= nil
  new_system.destroy = behaviour.destroy and function(e)
    behaviour.destroy(components.accessor[component.name](handle.get_id(e), -1))
  end
  new_system.functions = { ["create and destroy"] = behaviour.create or behaviour.destroy, update = behaviour.update }
  for event_name, handler in pairs(behaviour.on) do
    new_system.functions["on " .. event_name] = handler
  end
  new_system.title = "behaviour " .. name
  if behaviour.enable or behaviour.disable then
    add_enabling(component, behaviour, source)
  end
  if behaviour.render then
    add_drawing(component, behaviour, source)
  end
  return component.schema
end

local function declare_renamed_systems(rename)
  for _, part in ipairs(rename.parts) do
    for _, suffix in ipairs(part.component.functions and { "", ":enabled" } or {}) do
      C.world_declare_renamed_system(W, rename.name .. suffix, part.component.name .. suffix)
    end
  end
end

-- Renames the systems of renamed behaviours in the world, unless a system has the old name now. `create` is therefore
-- not called again for existing rows, and their enabled state is kept. A behaviour that has only taken over a field of
-- a behaviour that still exists does not call `create` for the rows that it has got with the field.
function M.declare_renames()
  for _, name in ipairs(sorted_keys(renames.by_name)) do
    if not system.by_name[name] then
      declare_renamed_systems(renames.by_name[name])
    end
  end
  for _, name in ipairs(sorted_keys(renames.splits)) do
    if components.by_name[name].functions then
      declare_renamed_systems(renames.splits[name])
    end
  end
end

return M

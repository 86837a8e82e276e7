-- Commands in the rows of a loop: emit, destroy, add, remove, set, enter and spawn. They are queued until the system
-- ends, so rows that queue commands can run after all other rows, provided that their commands cannot fail. This file
-- checks that they cannot, using the symbolic values of compile/symbolic_exec.lua: names must be constants, and each
-- value must have its field's type.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local text = need("base/string_table")
local state = need("base/vm_state")
local components = need("schema/component")
local literal = need("schema/literal")
local value = need("schema/value")
local assemblage = need("world/assemblage")
local event = need("world/event")
local states = need("world/states")

---@class engine.commands
local M = {}

-- Limits on an assemblage that a deferred side exit spawns: number of entities, and depth of their tree.
local MAX_TREE, MAX_DEPTH = 64, 8

-- --- values

local LEAF = {} -- metatable of symbolic values in plain tables

-- Converts a symbolic record, and the records in it, to plain tables: constants are copied, and every other symbolic
-- value becomes a leaf (a table with the metatable LEAF) that holds it. Returns nil if `v` is not a record.
local function record_to_table(heap, v)
  if type(v) ~= "table" or v.kind ~= "record" then
    return nil
  end
  local out = {}
  for key, item in pairs(heap[v]) do
    out[key] = type(item) ~= "table" and item or record_to_table(heap, item) or setmetatable({ v = item }, LEAF)
  end
  return literal.restore(out)
end

local function is_number(v)
  return v.node and v.t ~= "bool" or v.kind == "row" or v.kind == "count"
end

-- Converters by field type: return a constant of the field's type that represents the symbolic value, or nil if the
-- field does not accept the value.
local LIKE = {
  bool = function(v)
    if v.node and v.t == "bool" then
      return false
    end
  end,
  entity = function(v)
    local is_entity = v.kind == "entity" or v.kind == "handle" or v.kind == "invariant" and type(v.sample) == "userdata"
    return is_entity and handle.none or nil
  end,
  string = function(v)
    local is_text = v.kind == "text" or v.kind == "enum" or v.kind == "invariant" and type(v.sample) == "string"
    return is_text and "" or nil
  end,
  enum = function(v, field)
    local is_same = v.kind == "enum" and table.concat(v.choices, "\n") == table.concat(field.choices, "\n")
    return is_same and field.choices[1] or nil
  end,
}

local function get_sample_value(field, v)
  if field.min_valid or field.range or field.read_only or field.names or field.type == "mat4" then
    return nil
  elseif getmetatable(v) ~= LEAF then
    return v
  elseif value.NUMBERS[field.type] then
    return is_number(v.v) and 0 or nil
  end
  local convert = LIKE[field.type]
  return convert and convert(v.v, field)
end

local function get_sample_vector(parts, v)
  if type(v) ~= "table" or getmetatable(v) == LEAF then
    return type(v) == "string" and v or nil
  end
  local out = {}
  for key, part in pairs(v) do
    out[key] = get_sample_value(parts[1], part)
    if type(out[key]) ~= "number" then
      return nil
    end
  end
  return out
end

-- Returns true if a table of fields is valid for a component or event for all values that the row can produce.
local function is_valid(target, fields)
  local samples = {}
  for name, v in pairs(fields) do
    local field, parts = target.by_name[name], target.vectors[name]
    samples[name] = parts and get_sample_vector(parts, v) or nil
    if field and not parts then
      samples[name] = get_sample_value(field, v)
    end
    if samples[name] == nil then
      return false
    end
  end
  return not target.prepare and (pcall(value.check, target, samples))
end

-- --- commands

local function find_component(name)
  local component = type(name) == "string" and components.by_name[name]
  return component and component.kind == "component" and component or nil
end

local COMMANDS = {}
local NO_FIELDS = {}

COMMANDS["world.emit"] = function(heap, args, n)
  local event_type = type(args[1]) == "string" and event.by_name[args[1]]
  local fields = n == 1 and NO_FIELDS or n == 2 and record_to_table(heap, args[2])
  if not (event_type and event_type.id and event.is_public(args[1]) and fields and is_valid(event_type, fields)) then
    return nil
  end
  local values = {}
  for field_name, v in pairs(fields) do
    values[field_name] = getmetatable(v) == LEAF and v.v or v
  end
  return { event = event_type, values = values }
end

local function count_tree(template, depth)
  local size = depth > MAX_DEPTH and MAX_TREE + 1 or 1
  for _, child in pairs(template.children) do
    size = size > MAX_TREE and size or size + count_tree(child, depth + 1)
  end
  return size
end

COMMANDS["world.spawn"] = function(heap, args, n)
  local name = args[1]
  local template = type(name) == "string" and not states.get_tree(name) and assemblage.resolved[name]
  local overrides, size = n == 1 and NO_FIELDS or n == 2 and record_to_table(heap, args[2]), template
    and count_tree(template, 1)
  if not template or not overrides or size > MAX_TREE then
    return nil
  end
  for component_name, fields in pairs(overrides) do
    local component = find_component(component_name)
    if not component or type(fields) ~= "table" or getmetatable(fields) == LEAF or not is_valid(component, fields) then
      return nil
    end
  end
  return { changes = true, spawns = size, fetch = function() return assemblage.resolved[name] end, v = template }
end

-- Refuses the command unless its target is the row's own entity, which is alive (`context.is_own`).
function COMMANDS.destroy(_, args, n, context)
  return n == 1 and (context.is_own or args[1].kind == "handle") and { changes = true }
end

function COMMANDS.add(heap, args, n, context)
  local fields = n == 2 and NO_FIELDS or n == 3 and record_to_table(heap, args[3])
  local component = context.is_own and find_component(args[2])
  return component and fields and is_valid(component, fields) and { changes = true }
end

function COMMANDS.set(heap, args, n, context)
  local fields, component = n == 3 and record_to_table(heap, args[3]), context.is_own and context.components[args[2]]
  return component and component.kind == "component" and fields and is_valid(component, fields) and { changes = true }
end

function COMMANDS.remove(_, args, n, context)
  return n == 2 and context.is_own and find_component(args[2]) and { changes = true }
end

-- Before each run, C checks that every entity has the state (native_loop_declare_exit_state).
function COMMANDS.enter(_, args, n, context)
  local name = args[2]
  if n ~= 2 or not context.is_own or type(name) ~= "string" or text.find(name) == 0 then
    return nil
  end
  local function fetch()
    local id = state.may_change and not states.calls_function(name) and text.find(name)
    return id and (states.have_functions() and -id or id)
  end
  local v = fetch()
  return v and { changes = true, enters = math.abs(v), is_recorded = v < 0, fetch = fetch, v = v } or nil
end

---@class engine.Command
---@field changes? boolean the command changes rows or columns when it is applied after the system
---@field spawns? integer number of entities that the command creates
---@field enters? integer string id of the state that the row's entity enters
---@field is_recorded? boolean Lua must record the entered state (world/states.lua): a state of the game calls functions
---@field fetch? fun(): any guard: the command cannot fail while this function returns `v`
---@field v? any value that `fetch` must return
---@field event? engine.Event event that the command emits
---@field values? table<string, any> symbolic values of the event's fields

-- Returns the command that a row's call queues, or nil if the call is not a command or can fail.
---@param name string name of the called function or method: "world.emit", "destroy"
---@param heap table fields of the tables that the row has created, by table
---@param args any[] symbolic values of the arguments
---@param n integer number of arguments
---@param context { is_own: boolean, components: table<string, engine.Component> }
---@return engine.Command?
function M.record_call(name, heap, args, n, context)
  local check = COMMANDS[name]
  return check and check(heap, args, n, context) or nil
end

-- Returns true if commands are currently queued, or false if they are applied immediately, as in `start`.
---@return boolean
function M.are_queued()
  return abi.C.world_is_deferring(abi.world)
end

return M

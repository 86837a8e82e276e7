-- Access to plugins from scripts. shoal.plugins.NAME.fn(…) checks its arguments against the plugin's declaration before
-- it calls C. Plugin components, events and systems are registered by name.
local need, native = ...
local abi = need("base/abi")
local handle = need("base/handle")
local phases = need("base/phases")
local report = need("base/report")
local state = need("base/vm_state")
local read_only = need("messages/read_only")
local column = need("schema/column")
local components = need("schema/component")
local collision_layers = need("schema/collision_layers")
local value_rules = need("schema/value")
local event = need("world/event")
local query = need("world/query")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.PluginFunction
---@field name string
---@field takes string parameters: "e:entity degrees:number"
---@field gives string type of the result
---@field doc? string
---@field pure boolean true if the function does not change the world

---@class engine.Plugin
---@field name string
---@field version integer
---@field doc? string
---@field functions engine.PluginFunction[]
---@field systems table[] { name, with, without, any, optional }: lists of component names by role
---@field commands { name: string, help?: string }[] commands of the cockpit
---@field panels { title: string, sql?: string, plot: boolean }[] panels of the cockpit

---@class engine.plugins
---@field list engine.Plugin[] the open plugins
---@field missing string[] names of the plugins that could not be loaded
---@field systems table<string, { name: string, terms: engine.Term[] }>
---@field api table<string, table<string, function>>
local M = { list = {}, missing = {}, systems = {} }
local PLUGINS = abi.pointer("plugins_o *", native.plugins)

-- Parses declared parameters or results: "e:entity degrees:number" → { { name = "e", type = "entity" }, … }
local function parse_parameters(declaration)
  local out = {}
  for name, kind in (declaration or ""):gmatch("([^%s:]+):(%S+)") do
    out[#out + 1] = { name = name, type = kind }
  end
  return out
end

-- --- arguments

local function fail_type(label, argument, expected, v)
  report.raise("%s: %s must be %s, got %s", label, argument.name, expected,
    report.describe(v))
end

local function check_number(label, argument, v)
  if type(v) ~= "number" then
    fail_type(label, argument, "a number", v)
  end
  return v
end

local function check_entity(label, argument, v)
  local id = v == nil and 0 or handle.get_id(v)
  if not id then
    fail_type(label, argument, "an entity", v)
  end
  return id
end

-- Returns a function buffer(count) that returns a buffer for `count` elements of the C type `element`. All calls share
-- one buffer, which grows as needed.
local function create_buffer(element)
  local memory, capacity = nil, 0
  return function(count)
    if count > capacity then
      capacity = math.max(count, capacity * 2, 16)
      memory = ffi.new(element .. "[?]", capacity)
    end
    return memory
  end
end

local LISTS = {
  ["number[]"] = { element = "double", field = "numbers", of = check_number,
    description = "a list or a column of numbers" },
  ["entity[]"] = { element = "uint32_t", field = "entities", of = check_entity,
    description = "a list or a column of entities" },
}

-- Copies a Lua list or a column of an open query into a buffer, and stores the buffer as an argument in `value`.
-- `get_buffer`: result of create_buffer.
local function write_list(label, argument, value, get_buffer, v)
  local kind = LISTS[argument.type]
  local count = column.get_count(v)
  local is_column = count ~= nil
  if not is_column and type(v) ~= "table" then
    fail_type(label, argument, kind.description, v)
  end
  count = count or #v
  local memory = get_buffer(count)
  if is_column then
    for i = 1, count do
      memory[i - 1] = v:raw(i)
    end
  else
    local of = kind.of
    for i = 1, count do
      memory[i - 1] = of(label, argument, v[i])
    end
  end
  value[kind.field] = memory
  value.count = count
end

-- Must match the enum shoal_value_type.
local VALUE_TYPES = { nothing = 0, number = 1, bool = 2, string = 3, entity = 4, numbers = 5, table = 6 }

-- Tables (engine/include/shoal/table.h) are flattened: each member is stored as a key and a value, and the members of a
-- nested table follow their table. Tables are read with rawget, so no script code runs.
local MAX_MEMBERS, MAX_DEPTH = 65536, 16
local add_members

local function add_member(flat, path, key, v, depth)
  local index = flat.count + 1
  local kind = type(v)
  if index > MAX_MEMBERS then
    report.raise("%s: %s has more than %d members, including nested members", flat.label, flat.name, MAX_MEMBERS)
  elseif kind ~= "number" and kind ~= "boolean" and kind ~= "string" and kind ~= "table" and not handle.get_id(v) then
    report.raise("%s: %s.%s is a %s: use numbers, booleans, strings, entities and tables", flat.label, path,
      report.show(key), kind)
  end
  flat.count, flat.keys[index], flat.values[index] = index, key, v
  if kind == "table" then
    add_members(flat, path .. "." .. key, v, depth + 1)
    flat.sizes[index] = flat.count - index
  end
end

-- Adds the list elements by index, then the string keys in sorted order.
function add_members(flat, path, t, depth)
  local count, names, invalid_keys = 0, {}, {}
  if depth > MAX_DEPTH then
    report.raise("%s: %s is nested too deeply (at most %d tables): flatten it, or remove the cycle", flat.label, path,
      MAX_DEPTH)
  elseif value_rules.may_run_code(t) then
    report.raise("%s: %s has a metatable: pass a table of plain values", flat.label, path)
  end
  while rawget(t, count + 1) ~= nil do
    count = count + 1
    add_member(flat, path, count, rawget(t, count), depth)
  end
  for key in next, t do
    if type(key) == "string" then
      names[#names + 1] = key
    elseif type(key) ~= "number" or key < 1 or key > count or key % 1 ~= 0 then
      invalid_keys[#invalid_keys + 1] = type(key) == "number" and tostring(key) or type(key)
    end
  end
  table.sort(invalid_keys)
  if invalid_keys[1] then
    report.raise("%s: %s has the key %s: keys must be strings, or list indices from 1 without gaps", flat.label,
      path, invalid_keys[1])
  end
  table.sort(names)
  for _, name in ipairs(names) do
    add_member(flat, path, name, t[name], depth)
  end
end

local function write_member(value, v)
  local kind = type(v)
  if kind == "number" then
    value.type, value.number = VALUE_TYPES.number, v
  elseif kind == "boolean" then
    value.type, value.number = VALUE_TYPES.bool, v and 1 or 0
  elseif kind == "string" then
    value.type, value.string, value.count = VALUE_TYPES.string, v, #v
  else
    value.type, value.entity = VALUE_TYPES.entity, handle.get_id(v)
  end
end

local function write_as_table(value, memory, count)
  value.type, value.string, value.count = VALUE_TYPES.table, ffi.cast("const char *", memory), count
end

local function create_table_writer(label, argument, get_buffer)
  return function(value, v)
    if type(v) ~= "table" then
      fail_type(label, argument, "a table", v)
    end
    local flat = { label = label, name = argument.name, count = 0, keys = {}, values = {}, sizes = {} }
    add_members(flat, argument.name, v, 1)
    local memory = get_buffer(flat.count * 2)
    for i = 1, flat.count do
      write_member(memory[2 * i - 2], flat.keys[i])
      if flat.sizes[i] then
        write_as_table(memory[2 * i - 1], memory + 2 * i, flat.sizes[i])
      else
        write_member(memory[2 * i - 1], flat.values[i])
      end
    end
    write_as_table(value, memory, flat.count)
  end
end

local function create_any_writer(label, argument)
  local get_buffer = create_buffer("double")
  local list = { name = argument.name, type = "number[]" }
  return function(value, v)
    local kind = type(v)
    value.type = VALUE_TYPES.nothing
    if kind == "number" then
      value.type, value.number = VALUE_TYPES.number, v
    elseif kind == "boolean" then
      value.type, value.number = VALUE_TYPES.bool, v and 1 or 0
    elseif kind == "string" then
      value.type, value.string, value.count = VALUE_TYPES.string, v, #v
    elseif v ~= nil and handle.get_id(v) then
      value.type, value.entity = VALUE_TYPES.entity, handle.get_id(v)
    elseif kind == "table" or column.get_count(v) then
      write_list(label, list, value, get_buffer, v)
      value.type = VALUE_TYPES.numbers
    elseif v ~= nil then
      fail_type(label, argument, "a number, boolean, string, entity, list of numbers or nil", v)
    end
  end
end

-- Returns true if the argument accepts layer names.
local function accepts_layer_names(argument)
  return argument.type == "number" and (argument.name == "mask" or argument.name == "category")
end

-- Returns a function put(value, v) that checks `v` and stores it in `value`, a shoal_value.
local function create_argument_writer(label, argument)
  local kind = argument.type
  if accepts_layer_names(argument) then
    return function(value, v)
      value.number = (type(v) == "string" or type(v) == "table") and collision_layers.to_mask(label, v)
        or check_number(label, argument, v)
    end
  elseif kind == "number" then
    return function(value, v)
      value.number = check_number(label, argument, v)
    end
  elseif kind == "bool" then
    return function(value, v)
      if type(v) ~= "boolean" then
        fail_type(label, argument, "true or false", v)
      end
      value.number = v and 1 or 0
    end
  elseif kind == "entity" then
    return function(value, v)
      value.entity = check_entity(label, argument, v)
    end
  elseif kind == "string" then
    return function(value, v)
      if type(v) ~= "string" then
        fail_type(label, argument, "a string", v)
      end
      value.string, value.count = v, #v
    end
  elseif kind == "any" then
    return create_any_writer(label, argument)
  elseif kind == "table" then
    return create_table_writer(label, argument, create_buffer("shoal_value"))
  end
  local get_buffer = create_buffer(LISTS[kind].element)
  return function(value, v)
    write_list(label, argument, value, get_buffer, v)
  end
end

-- --- results

-- Returns the number in the shoal_value `value`. C normalizes NaN, because a plugin may return NaN with any bit pattern
-- (math/number.lua).
local function read_number(value)
  return (C.plugin_value_to_number(value))
end

local function read_any(value)
  local kind = value.type
  if kind == VALUE_TYPES.number then
    return read_number(value)
  elseif kind == VALUE_TYPES.bool then
    return value.number ~= 0
  elseif kind == VALUE_TYPES.string then
    return ffi.string(value.string, value.count)
  elseif kind == VALUE_TYPES.entity then
    return handle.handle(value.entity)
  elseif kind == VALUE_TYPES.numbers then
    local list = {}
    for i = 1, value.count do
      list[i] = C.columns_read_f64(value.numbers + (i - 1))
    end
    return list
  end
  return nil
end

-- Rebuilds a Lua table from `count` flattened members.
local function read_members(items, count)
  local out, i = {}, 0
  while i < count do
    local k, v = items[2 * i], items[2 * i + 1]
    local key = k.type == VALUE_TYPES.string and ffi.string(k.string, k.count) or read_number(k)
    i = i + 1
    if v.type == VALUE_TYPES.table then
      out[key] = read_members(items + 2 * i, v.count)
      i = i + v.count
    else
      out[key] = read_any(v)
    end
  end
  return out
end

local function read_table(value)
  if value.type ~= VALUE_TYPES.table then
    return nil
  end
  return read_members(ffi.cast("const shoal_value *", value.string), value.count)
end

-- Returns a function that converts a shoal_value to the result for scripts. Lists are returned as a column. All calls
-- return the same column, with the elements of the most recent call; its view is added to `views`.
local function create_result_reader(label, result, views)
  local kind = result.type
  if kind == "number" then
    return read_number
  elseif kind == "bool" then
    return function(value)
      return value.number ~= 0
    end
  elseif kind == "entity" then
    return function(value)
      return handle.handle(value.entity)
    end
  elseif kind == "string" then
    return function(value)
      return value.string ~= nil and ffi.string(value.string, value.count) or ""
    end
  elseif kind == "any" then
    return read_any
  elseif kind == "table" then
    return read_table
  end
  local view = ffi.new("column_view_t[1]")
  views[#views + 1] = view
  local field = { name = result.name, type = kind == "number[]" and "f64" or "entity" }
  local proxy
  return function(value)
    view[0].data = ffi.cast("void *", kind == "number[]" and value.numbers or value.entities)
    view[0].count = value.count
    proxy = column.create_proxy(view, field, label .. "." .. result.name, "direct", true, view)
    return proxy
  end
end

-- --- functions

local WRAPPER = [[
local C, plugins, arguments, results, puts, takes, guard, failed, error, plain = ...
$LOCALS
return function($PARAMETERS ...)
$PLAIN
  guard(...)
$PUT
  if not C.plugin_call_by_number(plugins, $PLUGIN, $FUNCTION, arguments, results, error) then
    failed()
  end
  return $TAKE
end
]]

-- Copies a list with a metatable. Call before storing any argument, because a metamethod may call the same plugin
-- function, which would overwrite the stored arguments.
local function copy_list(v)
  if not value_rules.may_run_code(v) then
    return v
  end
  local list = {}
  for i = 1, #v do
    list[i] = v[i]
  end
  return list
end

local function generate_code(plugin, function_number, parameters_declared, results_declared)
  local locals, parameters, put, take, plain = {}, {}, {}, {}, {}
  for i = 1, #parameters_declared do
    plain[#plain + 1] = (LISTS[parameters_declared[i].type] or parameters_declared[i].type == "any")
      and ("  a%d = plain(a%d)"):format(i, i) or nil
    locals[#locals + 1] = ("local put%d = puts[%d]"):format(i, i)
    parameters[i] = ("a%d,"):format(i)
    put[i] = ("  put%d(arguments[%d], a%d)"):format(i, i - 1, i)
  end
  for i = 1, #results_declared do
    locals[#locals + 1] = ("local take%d = takes[%d]"):format(i, i)
    take[#take + 1] = ("take%d(results[%d])"):format(i, i - 1)
    if LISTS[results_declared[i].type] then
      take[#take + 1] = ("results[%d].count"):format(i - 1)
    end
  end
  return (WRAPPER:gsub("%$(%u+)", {
    LOCALS = table.concat(locals, "\n"), PARAMETERS = table.concat(parameters, " "), PLAIN = table.concat(plain, "\n"),
    PUT = table.concat(put, "\n"),
    PLUGIN = tostring(plugin), FUNCTION = tostring(function_number), TAKE = table.concat(take, ", "),
  }))
end

-- Returns a function that, before each call, rejects surplus arguments and calls that the current phase does not allow.
-- Outside systems, it also closes the queries that scripts left open, because an impure function may change the world.
local function create_guard(label, declaration, parameters)
  return function(...)
    if select("#", ...) > 0 then
      report.raise("%s: expected %d argument%s, got %d", label, #parameters, #parameters == 1 and "" or "s",
        #parameters + select("#", ...))
    end
    phases.check(label)
    if not declaration.pure and not C.world_is_deferring(W) then
      query.close_opened_by_scripts()
    end
  end
end

local function create_function(plugin, index, function_number, declaration)
  local label = "shoal.plugins." .. plugin .. "." .. declaration.name
  phases.add_plugin_function(label, declaration.pure)
  local parameters, results = parse_parameters(declaration.takes), parse_parameters(declaration.gives)
  local writers, readers, views = {}, {}, {}
  for i, argument in ipairs(parameters) do
    writers[i] = create_argument_writer(label, argument)
  end
  for i, result in ipairs(results) do
    readers[i] = create_result_reader(label, result, views)
  end
  -- Empties the lists of earlier results, whose memory may be invalid, and throws the error of a call.
  local function raise_call_error()
    for _, view in ipairs(views) do
      view[0].count = 0
    end
    report.raise("%s: %s", label, abi.get_error_text())
  end
  local chunk = assert(loadstring(generate_code(index, function_number, parameters, results),
    "@[shoal]/world/plugins.lua"))
  return chunk(C, PLUGINS, ffi.new("shoal_value[8]"), ffi.new("shoal_value[8]"), writers, readers,
    create_guard(label, declaration, parameters), raise_call_error, abi.error, copy_list)
end

-- --- opening

local by_name = {}
local api = read_only(by_name, "shoal.plugins")
M.api = setmetatable({}, {
  __index = function(_, name)
    for _, missing in ipairs(M.missing) do
      if missing == name then
        report.raise("shoal.plugins.%s: the plugin could not be loaded: see the error in the log", name)
      end
    end
    return api[name]
  end,
  __newindex = function(_, name)
    api[name] = nil -- the assignment throws the error
  end,
  __metatable = false,
})

local function add_systems(plugin)
  for _, system in ipairs(plugin.systems) do
    local name = plugin.name .. "." .. system.name
    local terms = {}
    for _, role in ipairs { "with", "without", "any", "optional" } do
      for _, component in ipairs(system[role]) do
        terms[#terms + 1] = { name = component, role = role }
      end
    end
    M.systems[name] = { name = name, terms = terms }
  end
end

-- Opens the plugins named in game.lua and on the command line. M.missing then lists the plugins that could not be
-- loaded.
---@param names string[]
function M.open(names)
  local result = native.open_plugins(names)
  M.list, M.missing = result.plugins, result.missing
  state.has_plugins = #M.list > 0
  for index, plugin in ipairs(M.list) do
    local functions = {}
    for function_number, declaration in ipairs(plugin.functions) do
      functions[declaration.name] = create_function(plugin.name, index - 1, function_number - 1, declaration)
    end
    by_name[plugin.name] = read_only(functions, "shoal.plugins." .. plugin.name)
    add_systems(plugin)
  end
  components.add_plugins()
  event.add_plugins()
end

-- Returns true if an unknown name may belong to a missing plugin, and logs a warning in this case. The caller then
-- skips the declaration that uses the name, and the game continues.
---@param subject string the declaration that uses the name: "system movement"
---@param name any
---@return boolean
function M.must_skip(subject, name)
  if #M.missing == 0 then
    return false
  end
  native.log("warn", ("%s is skipped: no plugin provides %s (not loaded: %s)"):format(subject, report.show(name),
    table.concat(M.missing, ", ")))
  return true
end

-- Returns true if the plugin of a system could not be loaded.
---@param name string the system's full name: "plugin.system"
---@return boolean
function M.must_skip_system(name)
  local plugin = name:match("^([%w_]+)%.")
  for _, missing in ipairs(M.missing) do
    if missing == plugin then
      return true
    end
  end
  return false
end

M.parse, M.LISTS, M.accepts_layer_names = parse_parameters, LISTS, accepts_layer_names -- see load/type_definitions.lua

return M

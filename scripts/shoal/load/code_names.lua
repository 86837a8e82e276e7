-- Warns at load time about names in code that must be wrong: scenes, events, actions, sounds, easings, components,
-- their fields, … Otherwise such a mistake would be reported only when the line runs. luajit/name_check.h follows the
-- values through the bytecode; this file describes their types. The functions of the API whose arguments are checked
-- are listed in `create_globals`.
--
-- A name is reported only if it raises an error, or has no effect, regardless of what the game has done before. A type
-- or name that depends on run-time behaviour has the type ANY, for which nothing is reported.
local need, native = ...
local report = need("base/report")
local scope = need("base/scope")
local state = need("base/vm_state")
local bytecode = need("compile/bytecode")
local input = need("kit/input")
local music = need("kit/music")
local scene = need("kit/scene")
local late_binding = need("base/late_binding")
local audio = need("media/audio")
local missing_assets = need("messages/missing_assets")
local components = need("schema/component")
local schema = need("schema/schema")
local value = need("schema/value")
local behaviour = need("systems/behaviour")
local sequence = need("systems/sequence")
local system = need("systems/system")
local assemblage = need("world/assemblage")
local declared_values = need("world/declared_values")
local entity = need("world/entity")
local event = need("world/event")
local plugins = need("world/plugins")
local query = need("world/query")
local timers_and_tweens = need("world/timers_and_tweens")
local world = need("world/world")

-- Keys of types, as in luajit/name_check.h.
local RESULT, ELEMENT, ITEM, CHECKS_TEXT, CHECKS_KEYS, IS_IGNORED, RESULT_BY = -1, -2, -3, -4, -5, -6, -7
local PARAMETER, NAMED_BY = -10, 100
local ANY = 0

-- The keys of a type are described in luajit/name_check.h.
---@class engine.NameType

local M = {}
local defines_assemblages = false -- true if the game may define or import assemblages while it runs

-- --- the types of one scope: the game, or an add-on

---@class engine.NameScope
---@field types engine.NameType[]
---@field problems table<integer, fun(name: string, file: string, line: integer): string?> by type: returns the message
---about an invalid name; nil if it has been reported already
---@field memo table<any, table<any, integer>> numbers of types that have been created, by kind and name
local current_scope ---@type engine.NameScope

-- Adds a type and returns its number. `find_type(name)` returns the type of a name (ANY if the type is unknown), or
-- false if the name is invalid. `problem` returns the message about an invalid name (engine.NameScope).
local function add_type(type_fields, find_type, problem)
  local number = #current_scope.types + 1
  current_scope.types[number] = find_type and setmetatable(type_fields, { __index = function(t, name)
    if type(name) ~= "string" then
      return nil
    end
    local found_type = find_type(name)
    rawset(t, name, found_type)
    return found_type
  end }) or type_fields
  current_scope.problems[number] = problem
  return number
end

-- Returns the type of this kind for a key. Calls `create` to create the type on first use.
local function get_type(kind, key, create)
  local types_by_key = current_scope.memo[kind]
  if not types_by_key then
    types_by_key = {}
    current_scope.memo[kind] = types_by_key
  end
  local number = types_by_key[key]
  if not number then
    number = create()
    types_by_key[key] = number
  end
  return number
end

-- Returns the message of the error that f(...) raises.
local function catch_message(f, ...)
  local ok, problem = pcall(f, ...)
  return not ok and report.get_message(problem) or nil
end

-- Returns a function that describes an unknown name in a call: "world.scene: unknown scene levle: did you mean level?".
local function describe_unknown(caller, kind, hint)
  return function(name)
    return string.format("%s: unknown %s %s%s", caller, kind, name, hint(name))
  end
end

-- Returns the type of the names in the table `names`. `kind` is passed to scope.name, which adds the prefix of an
-- add-on; if `kind` is nil, names are looked up unchanged. `get_value_type` returns the type of a name's value.
local function add_names(caller, label, names, kind, get_value_type)
  return add_type({ [CHECKS_TEXT] = true }, function(name)
    local full_name = kind and scope.name(kind, name) or name
    return names[full_name] ~= nil and (get_value_type and get_value_type(names[full_name]) or ANY)
  end, describe_unknown(caller, label, function(name) return report.hint(name, names) end))
end

-- Returns the type of a function. `signature`: its arguments, result and parameters by key.
local function add_function(signature)
  return add_type(signature)
end

-- --- fields

local function has_field(target, name)
  local field = target.by_name[name]
  return field and not field.hidden or target.vectors[name] ~= nil or target.records[name] ~= nil
    or target.lists[name] ~= nil
end

local function describe_unknown_field(target, path)
  return function(name)
    return catch_message(value.fail_unknown_field, target, name, path)
  end
end

local get_entity_type

local function get_enum_type(target, field)
  return get_type("enum", field, function()
    local choices = { [""] = true } -- an empty string can be a deliberate comparison
    for _, choice in ipairs(field.choices) do
      choices[choice] = true
    end
    return add_type({ [CHECKS_TEXT] = true }, function(name)
      return choices[name] and ANY or false
    end, function(name)
      return string.format("%s.%s must be one of %s%s, got %s", target.label, field.name,
        table.concat(field.choices, ", "), report.suggest(name, field.choices), report.describe(name))
    end)
  end)
end

local AXES, COLOURS = { "x", "y", "z", "w" }, { "r", "g", "b", "a" }

local function get_vector_type(target, base)
  return get_type(target, "vector " .. base, function()
    local axes = {}
    for i in ipairs(target.vectors[base]) do
      axes[AXES[i]], axes[COLOURS[i]] = true, true
    end
    return add_type({}, function(name)
      return axes[name] and ANY or false
    end, function(name)
      return catch_message(value.fail_unknown_field, target, base .. "." .. name)
    end)
  end)
end

-- Returns the type of the field at a path. `kind` is "values" for keys of a table constructor, "row" for members of an
-- accessor such as e.health, and "columns" for members of q.health. `get_record_type(path)` returns the type of a
-- record.
local function get_field_type(target, path, kind, get_record_type)
  local field = target.by_name[path]
  if target.records[path] then
    return get_record_type(path)
  elseif target.vectors[path] then
    return kind == "row" and get_vector_type(target, path) or ANY
  elseif target.lists[path] or not field then
    return ANY
  elseif field.choices and kind ~= "columns" and kind ~= "row of behaviour" then
    return get_enum_type(target, field)
  elseif field.type == "entity" and kind == "row" then
    return get_entity_type()
  elseif kind == "columns" and (field.choices or field.type == "entity") then
    return get_type(field, "column", function()
      return add_type { [ELEMENT] = field.choices and get_enum_type(target, field) or get_entity_type() }
    end)
  end
  return ANY
end

-- Returns the type of an object whose members are the fields of a component or event, or of one of its records.
-- `get_other_type(name)` returns the type of a member that is not a field.
local function get_fields_type(target, kind, path, get_other_type)
  return get_type(target, kind .. (path or ""), function()
    return add_type({ [CHECKS_KEYS] = true }, function(name)
      local full_path = path and path .. "." .. name or name
      if get_other_type and get_other_type(name) then
        return get_other_type(name)
      end
      return has_field(target, full_path) and get_field_type(target, full_path, kind, function(record)
        return get_fields_type(target, kind, record)
      end)
    end, describe_unknown_field(target, path))
  end)
end

-- --- components

-- Returns the type of a component's values in a table constructor. In a `many` component, keys other than fields are
-- instance names.
local function get_values_type(component)
  if component.kind ~= "many" then
    return get_fields_type(component, "values")
  end
  return get_type(component, "instances", function()
    return add_type({ [CHECKS_KEYS] = true }, function(name)
      return has_field(component, name) and ANY or get_fields_type(component, "values")
    end)
  end)
end

-- Returns the type of an accessor such as e.health.
local function get_accessor_type(component)
  if component.kind == "many" then
    return get_type(component, "accessor", function()
      return add_type({ [ELEMENT] = get_fields_type(component, "row") }, function(name)
        return has_field(component, name) and ANY or get_fields_type(component, "row")
      end)
    end)
  elseif not component.functions then
    return get_fields_type(component, "row")
  end
  return get_type(component, "accessor", function()
    local members = get_fields_type(component, "row")
    return add_type({}, function(name)
      return name == "entity" and get_entity_type() or component.functions[name] and ANY
        or current_scope.types[members][name]
    end, function(name)
      return catch_message(late_binding.fail_unknown_member, component, name)
    end)
  end)
end

-- Returns the type of strings that name components; `get_values`: see add_names.
local function add_component_names(caller, get_values)
  return get_type("component names", caller, function()
    return add_type({ [CHECKS_TEXT] = true }, function(name)
      local component = components.by_name[name]
      return component and (get_values and get_values(component) or ANY) or components.metadata[name] ~= nil and ANY
    end, describe_unknown(caller, "component", components.hint))
  end)
end

-- Returns the type of an entity's components in a table constructor: world.spawn(nil, { health = { hp = 1 } }).
local function get_overrides_type()
  return get_type("overrides", 1, function()
    return add_type({ [CHECKS_KEYS] = true }, function(name)
      local component = components.by_name[name]
      if name == "children" then
        return get_type("children", 1, function()
          local child = get_overrides_type()
          return add_type({ [ELEMENT] = child, [CHECKS_KEYS] = true }, function() return child end)
        end)
      end
      return component and component.kind ~= "single" and get_values_type(component)
        or components.metadata[name] ~= nil and ANY
    end, function(name)
      return catch_message(world.exists, name)
    end)
  end)
end

-- --- entities

-- Returns the type of a method whose first argument is a component, and whose second argument has its values.
local function add_component_method(name, has_values)
  local parts = { [2] = add_component_names("e:" .. name, has_values and function(component)
    return get_fields_type(component, "values") -- the instance's name is a separate, third argument
  end) }
  if has_values then
    parts[NAMED_BY + 3] = 2
  end
  return add_function(parts)
end

local function add_event_names(caller, get_values)
  return add_type({ [CHECKS_TEXT] = true }, function(name)
    local event_type = event.by_name[name]
    return event_type ~= nil and event.is_public(name) and get_values(event_type)
  end, describe_unknown(caller, "event", event.hint))
end

local function get_event_values_type(event_type)
  return get_fields_type(event_type, "values")
end

local function create_methods()
  local out = { sequence = add_function { [2] = add_names("e:sequence", "sequence", sequence.programs, "sequence") },
    send = add_function { [2] = add_event_names("e:send", get_event_values_type), [NAMED_BY + 3] = 2 },
    parent = add_function { [RESULT] = get_entity_type() }, child = add_function { [RESULT] = get_entity_type() },
    children = add_function { [RESULT] = add_type { [ELEMENT] = get_entity_type() } } }
  for _, name in ipairs { "has", "remove", "disable", "enable" } do
    out[name] = add_component_method(name, false)
  end
  for _, name in ipairs { "add", "set" } do
    out[name] = add_component_method(name, true)
  end
  return out
end

local is_method = {}
for _, name in ipairs(schema.entity_methods) do
  is_method[name] = true
end

function get_entity_type()
  return get_type("entity", 1, function()
    local methods_by_name
    return add_type({}, function(name)
      methods_by_name = methods_by_name or create_methods()
      local component = components.by_name[name]
      if is_method[name] then
        return methods_by_name[name] or ANY
      end
      return component and component.kind ~= "single" and get_accessor_type(component)
        or components.metadata[name] ~= nil and ANY
    end, function(name)
      return catch_message(entity.fail_unknown_member, name)
    end)
  end)
end

-- --- queries, events, singletons

local function create_view(find_type, problem)
  local column = add_type { [ELEMENT] = get_entity_type() }
  return add_type({}, function(name)
    if name == "entity" then
      return column
    elseif name == "count" or name == "has" or query.methods[name] or query.pair_methods[name] then
      return ANY
    end
    return find_type(name)
  end, problem)
end

-- Returns the type of a view with unknown components, such as a view from world.query.
local function get_any_view_type()
  return get_type("view", 1, function()
    return create_view(function(name)
      local component = components.by_name[name]
      return component ~= nil and component.kind ~= "single" and get_fields_type(component, "columns")
    end, describe_unknown("q", "component", components.hint))
  end)
end

-- Returns the type of a system query's view.
local function create_view_type(terms)
  return get_type("view", terms, function()
    local shown_components, names = {}, {}
    for _, term in ipairs(terms) do
      names[term.name] = query.find_name_in_view(term.name)
      shown_components[names[term.name]] = term.role ~= "without" and components.by_name[term.name] or nil
    end
    return create_view(function(name)
      return shown_components[name] and get_fields_type(shown_components[name], "columns") or false
    end, function(name)
      return catch_message(query.fail_unknown_member, name, terms, names)
    end)
  end)
end

-- Returns the type of `ev` in a handler: its members are columns.
local function get_event_columns_type(event_type)
  return get_fields_type(event_type, "columns", nil, function(name)
    return name == "count" and ANY
  end)
end

local function get_singles_type()
  return get_type("singles", 1, function()
    return add_type({}, function(name)
      local component = components.by_name[name]
      return component ~= nil and component.kind == "single" and get_fields_type(component, "row")
    end, world.describe_unknown_single)
  end)
end

-- --- the API: by function, the types of its arguments and of its result

local function add_assemblage_names(caller)
  return add_type({ [CHECKS_TEXT] = true }, function(name)
    return (assemblage.resolved[name] ~= nil or defines_assemblages) and ANY
  end, describe_unknown(caller, "assemblage", function(name)
    return assemblage.former[name] and assemblage.hint(name) or report.hint(name, assemblage.resolved)
  end))
end

local function add_scene_names(caller)
  return add_type({ [CHECKS_TEXT] = true }, function(name)
    return scene.files[scope.name("scene", name)] ~= nil and ANY
  end, function(name)
    return scene.describe_missing(name, caller)
  end)
end

local function add_action_names()
  return add_type({ [CHECKS_TEXT] = true }, function(name)
    return input.actions[scope.name("action", name)] ~= nil and ANY
  end, input.describe_unknown)
end

-- Returns the type of names that a `music` function accepts.
local function add_music_names(name)
  return add_type({ [CHECKS_TEXT] = true }, function(argument)
    return not music.find_problem(name, argument) and ANY
  end, function(argument)
    return music.find_problem(name, argument)
  end)
end

-- Adds the type of file names in assets/. The type rejects every name, so that each name is passed to
-- messages/missing_assets.lua, which checks the file and reports each missing file once.
local function add_asset_names(caller, is_sound)
  return add_type(setmetatable({ [CHECKS_TEXT] = true }, { __index = function(_, name)
    if type(name) == "string" then
      return false
    end
  end }), nil, function(name, file, line)
    missing_assets.check_at(scope.name("asset", name), string.format("%s:%d: ", file, line), caller, is_sound)
  end)
end

local function add_bus_names(caller)
  return add_type({ [CHECKS_TEXT] = true }, function(name)
    return audio.is_bus(name) and ANY
  end, function(name)
    return string.format("%s: unknown bus %s%s", caller, name, audio.format_bus_suggestion(name))
  end)
end

local function add_ease_names(caller)
  local choices = components.find_builtin("tween").by_name.ease.choices
  local names = {}
  for _, choice in ipairs(choices) do
    names[choice] = true
  end
  return add_type({ [CHECKS_TEXT] = true }, function(name)
    return names[name] and ANY or false
  end, function(name)
    return string.format("%s: unknown easing %s%s; available: %s", caller, name, report.suggest(name, choices),
      table.concat(choices, ", "))
  end)
end

-- Returns the type of paths to fields: "transform.x".
local function add_path_names()
  return add_type({ [CHECKS_TEXT] = true }, function(path)
    return not timers_and_tweens.find_path_problem(path) and ANY
  end, function(path)
    return "world.tween: " .. timers_and_tweens.find_path_problem(path):gsub("^world%.tween: ", "")
  end)
end

local function add_system_names(caller)
  return add_type({ [CHECKS_TEXT] = true }, function(name)
    local full_name = scope.name("system", name)
    return (system.by_name[full_name] ~= nil or system.idle[full_name] ~= nil or plugins.systems[full_name] ~= nil
      or full_name:find("^shoal%.") ~= nil) and ANY
  end, describe_unknown(caller, "system", function(name) return report.hint(name, system.by_name) end))
end

-- Returns the type of a callback that takes one argument.
local function add_callback(parameter)
  return add_function { [PARAMETER - 1] = parameter }
end

local function create_world()
  local e = get_entity_type()
  local list = add_type { [ELEMENT] = e }
  local each_names, query_names = add_component_names("world.each"), add_component_names("world.query")
  current_scope.types[each_names][ELEMENT], current_scope.types[query_names][ELEMENT] = each_names, query_names
  local terms = add_type { [ELEMENT] = query_names, [CHECKS_KEYS] = true, without = query_names, any = query_names,
    optional = query_names }
  local out = {
    single = get_singles_type(), room = ANY, tick = ANY, time = ANY,
    spawn = add_function { add_assemblage_names("world.spawn"), get_overrides_type(), [RESULT] = e },
    spawn_many = add_function { add_assemblage_names("world.spawn_many"), [3] = add_callback(get_any_view_type()),
    [RESULT] = list },
    find = add_function { [RESULT] = e }, nearest = add_function { [RESULT] = e },
    near = add_function { [RESULT] = list }, box = add_function { [RESULT] = list },
    each = add_function { each_names, each_names, each_names, each_names, each_names, each_names,
    [RESULT] = add_type { [ITEM] = e } },
    query = add_function { terms, [RESULT] = get_any_view_type() },
    changes = add_function { add_component_names("world.changes") },
    lookup = add_function { add_component_names("world.lookup", function(component)
      return get_fields_type(component, "columns")
    end), [RESULT_BY] = 1 },
    emit = add_function { add_event_names("world.emit", get_event_values_type), [NAMED_BY + 2] = 1 },
    emit_many = add_function { add_event_names("world.emit_many", function(event_type)
      return add_callback(get_event_columns_type(event_type))
    end), [NAMED_BY + 3] = 1 },
    after = add_function { [2] = add_event_names("world.after", get_event_values_type), [NAMED_BY + 3] = 2,
    [RESULT] = e },
    tween = add_function { [2] = add_path_names(), [5] = add_ease_names("world.tween") },
    system = add_function { add_system_names("world.system") }, run = add_function { add_system_names("world.run") },
  }
  for _, name in ipairs { "scene", "open", "close" } do
    out[name] = add_function { add_scene_names("world." .. name) }
  end
  return add_type(out, function(name)
    return world.functions[name] and ANY or false
  end, function(name)
    return catch_message(function() return world.api[name] end)
  end)
end

local function create_input()
  local names, out = add_action_names(), {}
  for _, name in ipairs { "down", "pressed", "released", "axis", "bindings", "bind", "reset", "conflicts", "listen",
    "prompt" } do
    out[name] = add_function { names }
  end
  return add_type(out)
end

local function create_audio()
  local play = add_type { [CHECKS_KEYS] = true, bus = add_bus_names("audio.play") }
  return add_type { play = add_function { add_asset_names("audio.play", true), play },
    volume = add_function { add_bus_names("audio.volume") }, effects = add_function { add_bus_names("audio.effects") } }
end

local function create_music()
  local out = {}
  for _, name in ipairs { "play", "section", "sting", "layer" } do
    out[name] = add_function { add_music_names(name) }
  end
  return add_type(out)
end

-- Adds the type of the globals, which must be the first type.
local function create_globals()
  local globals = {}
  add_type(globals)
  add_type({}) -- the type of the value that a file returns; M.check replaces it for each file
  globals.world, globals.input, globals.audio, globals.music = create_world(), create_input(), create_audio(),
    create_music()
  globals.draw = add_type { image = add_function { add_asset_names("draw.image") },
    font = add_function { add_asset_names("draw.font") } }
  globals.shoal = add_type { ease = add_function { add_ease_names("shoal.ease") } }
  -- A function passed to pcall may fail on purpose.
  globals.pcall = add_function { add_type { [IS_IGNORED] = true } }
  globals.xpcall = globals.pcall
  if components.by_name.settings and not scope.current then -- the code of an add-on uses short names for its settings
    globals.settings = get_fields_type(components.by_name.settings, "row")
  end
end

-- --- the values that files return

local function get_handlers_type(get_parameters)
  return add_type({ [CHECKS_KEYS] = true }, function(name)
    local event_type = event.by_name[name]
    return event_type and add_function(get_parameters(event_type)) or ANY
  end)
end

local function get_system_type(name)
  local declared_system = system.by_name[scope.name("system", name)]
  if not declared_system then
    return nil
  end
  local e = add_callback(get_entity_type())
  local view = declared_system.terms and create_view_type(declared_system.terms)
  if not view and next(declared_system.queries) then
    view = add_type({}, function(key)
      return declared_system.queries[key] and create_view_type(declared_system.queries[key]) or false
    end, function(key)
      return string.format("%s has no query %s%s; available: %s", declared_system.name, key, report.suggest(key,
        declared_system.queries), report.join_names(declared_system.queries))
    end)
  end
  return { [CHECKS_KEYS] = true, each = e, enter = e, leave = e, changed = e, update = view and add_callback(view)
    or nil,
    on = get_handlers_type(function(event_type) return { [PARAMETER - 1] = get_event_columns_type(event_type) } end) }
end

-- Returns the type of a behaviour: all its functions receive `self`.
local function get_behaviour_type(file)
  local component = components.by_name[scope.name("component", behaviour.get_name(file))]
  if not component or not component.functions then
    return nil
  end
  local self = get_accessor_type(component)
  local on = get_handlers_type(function(event_type)
    return { [PARAMETER - 1] = self, [PARAMETER - 2] = get_fields_type(event_type, "row of behaviour") }
  end)
  local with_self = add_callback(self)
  return setmetatable({ [CHECKS_KEYS] = true, on = on }, { __index = function(_, key)
    return type(key) == "string" and with_self or nil
  end })
end

local function get_sequence_type()
  local step, steps = {}, {}
  local e, list = add_callback(get_entity_type()), add_type(steps)
  local number = add_type(step)
  for _, key in ipairs { "when", "wait", "call", "wait_for", "say", "who", "to", "from" } do
    step[key] = e
  end
  step[CHECKS_KEYS], step.all, step.choice, step[ELEMENT] = true, list, list, number
  steps[ELEMENT] = number
  return steps
end

-- Returns the type of the value that a file returns, or {} if the type is unknown.
local function get_file_type(file, addon)
  local local_path = addon and file:sub(#addon.root + 1) or file
  local folder, name = local_path:match("^([%w_]+)/(.+)%.lua$")
  return folder == "systems" and get_system_type(name) or folder == "behaviours" and get_behaviour_type(file)
    or folder == "sequences" and get_sequence_type() or {}
end

-- --- checks

-- Returns the first line, from `line` on, that contains the name as a key or a string; `line` if not found.
local function find_line(source, line, name, is_key)
  local line_number, pattern = 0, name:gsub("%p", "%%%0")
  for text in (source .. "\n"):gmatch("([^\n]*)\n") do
    line_number = line_number + 1
    if line_number >= line and (text:find("[\"']" .. pattern .. "[\"']")
      or is_key and text:find("%f[%w_]" .. pattern .. "%f[^%w_]%s*=")) then
      return line_number
    elseif line_number > line + 100 then
      break
    end
  end
  return line
end

local scopes = {} ---@type table<engine.Addon|false, engine.NameScope>

local function enter_scope(addon)
  scope.set(addon)
  current_scope = scopes[addon]
  if not current_scope then
    current_scope = { types = {}, problems = {}, memo = {} }
    scopes[addon] = current_scope
    create_globals()
  end
end

local function check_file(file)
  local addon, problems = scope.find_addon_of_file(file), {}
  enter_scope(addon)
  current_scope.types[2] = get_file_type(file, addon)
  native.check_names(current_scope.types, function(number, name, line, is_first_line)
    if line > 0 and (is_first_line or rawget(current_scope.types[number], CHECKS_TEXT)) then
      line = find_line(native.source(file), line, name, is_first_line)
    end
    problems[#problems + 1] = { line = line, order = #problems, name = name, describe = current_scope.problems[number] }
  end, file)
  table.sort(problems, function(a, b)
    return a.line < b.line or a.line == b.line and a.order < b.order
  end)
  for _, item in ipairs(problems) do
    local problem = item.line > 0 and item.describe(item.name, file, item.line) -- packaged code has no line numbers
    if problem then
      declared_values.warn(file, item.line, problem)
    end
  end
  scope.set(false)
end

-- Checks the code of these files: the main chunk and the name of each file. Skips games that lack a plugin, because the
-- names of its components are not known, and test suites, which raise errors on purpose.
---@param chunks { [1]: function, [2]: string }[]
function M.check(chunks)
  if not bytecode.is_known or #plugins.missing > 0 or state.tests then
    return
  end
  defines_assemblages = false
  for _, item in ipairs(chunks) do
    local source = native.source(item[2])
    defines_assemblages = defines_assemblages or source:find("define", 1, true) ~= nil
      or source:find("import", 1, true) ~= nil
  end
  for _, item in ipairs(chunks) do
    check_file(item[2])
  end
end

return M

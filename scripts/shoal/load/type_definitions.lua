-- Generates definitions for the Lua language server (LuaLS) of everything that a game and its plugins declare, in the
-- notation of scripts/types/shoal.lua. `./shoal types` writes them to a file, and a running game updates that file.
local need, native = ...
local abi = need("base/abi")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local input = need("kit/input")
local scene = need("kit/scene")
local components = need("schema/component")
local sequence = need("systems/sequence")
local system = need("systems/system")
local assemblage = need("world/assemblage")
local event = need("world/event")
local plugins = need("world/plugins")
local ffi = abi.ffi
local parse, LISTS = plugins.parse, plugins.LISTS

local MAX_NAMES = 1000 -- maximum number of names per kind, enough for the completion lists of editors

---@class engine.definitions
local M = {}

local LUA_TYPES = {
  f32 = "number", f64 = "number", i8 = "integer", i16 = "integer", i32 = "integer",
  u8 = "integer", u16 = "integer", u32 = "integer",
  bool = "boolean", entity = "shoal.Entity", string = "string", asset = "string", mat4 = "number[]",
  number = "number", table = "table",
  any = "number | boolean | string | shoal.Entity | number[] | nil",
  ["number[]"] = "number[] | shoal.Column", ["entity[]"] = "shoal.Entity[] | shoal.Column",
}

-- Types of string fields that also accept a list: points, or values over the lifetime of a particle.
local LIST_STRING_TYPES = {
  ["shape.points"] = "string | number[] | number[][]",
  ["emitter.speeds"] = "string | number[]",
  ["emitter.sizes"] = "string | number[]",
  ["emitter.colours"] = "string | (string | number[])[]",
  ["trail.widths"] = "string | number[]",
  ["trail.colours"] = "string | (string | number[])[]",
}
-- Additional types of e.NAME, where NAME is also an entity method, or where the component accepts a bare value.
local EXTRA_TYPES = { name = " | fun(self: shoal.Entity): string?", in_scene = " | string" }

-- Returns the Lua type of a vector field. A four-component vector is a colour if its name contains "colour" or "color",
-- or if it belongs to one of Shoal's own components.
local function get_vector_type(target, base)
  if not target.by_name[base .. ".w"] then
    return "shoal.Vector | number[]"
  end
  local is_colour = base:find("colou?r") or target.builtin and not target.plugin
  return is_colour and "shoal.Colour" or "shoal.Vector | shoal.Quat | number[]"
end

-- Returns the name of a component's class: shoal.Health, or shoal.score.Points for score.points of an add-on.
local function format_class_name(name)
  local addon, plain_name = scope.split_name(name)
  return "shoal." .. (addon and addon.prefix or "") .. plain_name:gsub("^%l", string.upper):gsub("_(%l)", string.upper)
end

-- Returns true for names that scripts do not use: engine names ("shoal.scene") and names of parts ("guard:enabled").
local function is_internal(name)
  local _, plain_name = scope.split_name(name)
  return plain_name:find("[.:]") ~= nil
end

-- Returns a name in the notation of a field: health, or ["score.points"].
local function format_key(name)
  return name:find(".", 1, true) and ("[%q]"):format(name) or name
end

-- Appends the text to `out`, wrapped at 120 bytes per line.
local function write_lines(out, prefix, text)
  local line = ""
  for word in text:gmatch("%S+") do
    if #prefix + #line + #word > 119 then
      out[#out + 1] = prefix .. line
      line = ""
    end
    line = line == "" and word or line .. " " .. word
  end
  out[#out + 1] = prefix .. line
end

-- Returns the descriptions of a component's fields by field name; each consists of the field's `doc` and unit.
local function list_docs(target)
  local docs = {}
  local schema = abi.C.view_schema(target.manager, nil)
  for i = 0, schema.field_count + schema.derived_count - 1 do
    local field, parts = schema.fields[i], {}
    parts[1] = field.doc ~= nil and ffi.string(field.doc) or nil
    parts[#parts + 1] = field.unit ~= nil and "(" .. ffi.string(field.unit) .. ")" or nil
    docs[target.fields[i + 1].base or ffi.string(field.name)] = parts[1] and table.concat(parts, " ")
  end
  return docs
end

-- Returns the members of a component, or of its record `path`, as an array of { name, field, record }. `name` is the
-- path of the member. `field` is the field, or the first column of a vector or list. `record` is true for a record.
local function list_members(target, path)
  local out, added, prefix = {}, {}, path and path .. "." or ""
  for _, field in ipairs(target.fields) do
    local name = field.base or field.name
    local is_visible = not field.hidden or field.list
    local member = name:sub(1, #prefix) == prefix and is_visible and name:sub(#prefix + 1):match("^[^.]+")
    if member and not added[member] then
      added[member] = true
      out[#out + 1] = { name = prefix .. member, field = field, record = target.records[prefix .. member] ~= nil }
    end
  end
  return out
end

-- Returns the name of a record's class: shoal.AppearanceColors.
local function format_record_class_name(class, path)
  return class .. format_class_name((path:gsub("%.", "_"))):sub(#"shoal." + 1)
end

-- Defines a class for each record of a component or event, innermost first. `define(class, path)` defines one class.
local function define_records(target, class, path, define)
  for _, member in ipairs(list_members(target, path)) do
    if member.record then
      define_records(target, class, member.name, define)
      define(format_record_class_name(class, member.name), member.name)
    end
  end
end

local function format_value_type(field)
  return field.layers and "shoal.Layers" or field.choices and '"' .. table.concat(field.choices, '" | "') .. '"'
    or LUA_TYPES[field.type]
end

-- Returns the type of a list, which can be read as shoal.ListValue and assigned as a table.
local function format_list_type(list)
  local value_type = format_value_type(list.values[1])
  return "shoal.ListValue | " .. (value_type:find("|", 1, true) and "(" .. value_type .. ")" or value_type) .. "[]"
end

local function define_fields(out, target, path)
  local docs = list_docs(target)
  for _, member in ipairs(list_members(target, path)) do
    local field, base, name = member.field, member.field.base, member.name
    local member_name = name:match("[^.]+$")
    if member.record then
      out[#out + 1] = ("---@field %s %s"):format(member_name,
        format_record_class_name(format_class_name(target.name), name))
    else
      local kind = LIST_STRING_TYPES[target.name .. "." .. name] or target.lists[name]
        and format_list_type(target.lists[name])
        or base and get_vector_type(target, base) or format_value_type(field)
      local doc = docs[name]
      out[#out + 1] = ("---@field %s %s%s%s"):format(member_name, kind, field.read_only and " read only" or "",
        doc and (field.read_only and not doc:find("^%(") and ": " or " ") .. doc or "")
    end
  end
end

local function define_function(out, plugin, declaration)
  if declaration.doc then
    write_lines(out, "---", declaration.doc)
  end
  local names = {}
  for i, argument in ipairs(parse(declaration.takes)) do
    names[i] = argument.name
    out[#out + 1] = ("---@param %s %s"):format(argument.name,
      plugins.accepts_layer_names(argument) and "shoal.Layers" or LUA_TYPES[argument.type])
  end
  for _, result in ipairs(parse(declaration.gives)) do
    local list = LISTS[result.type]
    out[#out + 1] = ("---@return %s %s"):format(list and "shoal.Column" or LUA_TYPES[result.type], result.name)
    if list then
      out[#out + 1] = "---@return integer count"
    end
  end
  out[#out + 1] = ("function shoal.plugins.%s.%s(%s) end"):format(plugin, declaration.name, table.concat(names, ", "))
  out[#out + 1] = ""
end

-- Defines a class with the columns of a component or an event. `doc`: its description, may be nil.
local function define_columns(out, target, class, base, doc)
  local function define(name, path)
    if doc and not path then
      write_lines(out, "---", doc)
    end
    out[#out + 1] = ("---@class %s: %s"):format(name, path and "shoal.Columns" or base)
    for _, member in ipairs(list_members(target, path)) do
      out[#out + 1] = ("---@field %s %s"):format(member.name:match("[^.]+$"),
        member.record and format_record_class_name(class, member.name)
        or target.lists[member.name] and "shoal.ListColumn" or "shoal.Column")
    end
    out[#out + 1] = ""
  end
  define_records(target, class, nil, define)
  define(class)
end

-- Adds a behaviour's functions to its component's class.
local function define_methods(out, component)
  local class = format_class_name(component.name)
  out[#out + 1] = "---@field entity shoal.Entity"
  for _, name in ipairs(sorted_keys(component.functions)) do
    local parameters = { "self: " .. class }
    for i = 2, debug.getinfo(component.functions[name], "u").nparams do
      parameters[i] = debug.getlocal(component.functions[name], i) .. ": any"
    end
    out[#out + 1] = ("---@field %s fun(%s): any"):format(name, table.concat(parameters, ", "))
  end
end

-- Defines the classes of Shoal's own components, and the fields of entities that contain them.
local function define_builtins(out, by_name)
  local parts = { "---@class shoal.Entity" }
  for _, name in ipairs(sorted_keys(by_name)) do
    local component = by_name[name]
    if component.builtin and not component.plugin and component.kind ~= "single" and not is_internal(name) then
      local schema = abi.C.view_schema(component.manager, nil)
      if schema.doc ~= nil then
        write_lines(out, "---", ffi.string(schema.doc))
      end
      out[#out + 1] = "---@class " .. format_class_name(name)
      define_fields(out, component)
      out[#out + 1] = ""
      local kind = format_class_name(name) .. (EXTRA_TYPES[name] or "")
      parts[#parts + 1] = ("---@field %s %s"):format(name,
        component.kind == "many" and ("table<string, %s>"):format(kind) or kind)
    end
  end
  out[#out + 1] = table.concat(parts, "\n")
end

-- Defines the classes of the game's components and singletons, with their descriptions, and the fields of entities,
-- query views and world.single that contain them.
local function define_game(out, by_name)
  local parts, singles, views = { "---@class shoal.Entity" }, { "---@class shoal.Singles" }, { "---@class shoal.View" }
  for _, name in ipairs(sorted_keys(by_name)) do
    local component = by_name[name]
    if component.schema and not component.builtin and not is_internal(name) then
      define_records(component, format_class_name(name), nil, function(class, path)
        out[#out + 1] = "---@class " .. class
        define_fields(out, component, path)
        out[#out + 1] = ""
      end)
      if component.schema.doc then
        write_lines(out, "---", component.schema.doc)
      end
      out[#out + 1] = "---@class " .. format_class_name(name)
      define_fields(out, component)
      if component.functions then
        define_methods(out, component)
      end
      out[#out + 1] = ""
      local list = component.kind == "single" and singles or parts
      list[#list + 1] = ("---@field %s %s"):format(format_key(name), format_class_name(name))
      if list == parts then
        local class = format_class_name(name) .. "Columns"
        define_columns(out, component, class, "shoal.Columns") -- the class of q.health, for q.health.hp[i]
        views[#views + 1] = ("---@field %s %s"):format(format_key(name), class)
      end
    end
  end
  for _, list in ipairs { parts, views, singles } do
    if #list > 1 then
      out[#out + 1] = table.concat(list, "\n")
      out[#out + 1] = ""
    end
  end
end

-- Defines the types of the parameter `ev` of handlers, by event: `on = { struck = function(ev) … end }`.
local function define_events(out, events)
  local handlers = { "---@class shoal.Handlers" }
  for _, name in ipairs(sorted_keys(events)) do
    local event_type = events[name]
    if event_type.schema and not event_type.on_demand and not is_internal(name) then
      local class = format_class_name(name) .. "Events"
      define_columns(out, event_type, class, "shoal.Events", event_type.schema.doc)
      handlers[#handlers + 1] = ("---@field %s? fun(ev: %s, dt: number)"):format(format_key(name), class)
    end
  end
  if #handlers > 1 then
    out[#out + 1] = table.concat(handlers, "\n")
    out[#out + 1] = ""
  end
end

-- Defines an alias with the names of one kind, for completion. Other strings remain valid, because shoal.lua also
-- declares the alias as `string`.
local function define_names(out, kind, names)
  if #names == 0 then
    return
  end
  out[#out + 1] = "---@alias shoal.names." .. kind
  for i = 1, math.min(#names, MAX_NAMES) do
    out[#out + 1] = ("---| %q"):format(names[i])
  end
  out[#out + 1] = ""
end

local function list_public_keys(by_name, is_hidden)
  local names = {}
  for _, name in ipairs(sorted_keys(by_name)) do
    if type(name) == "string" and not is_internal(name) and not (is_hidden and is_hidden(by_name[name])) then
      names[#names + 1] = name
    end
  end
  return names
end

local function list_assets()
  local names = {}
  for _, path in ipairs(native.list_files(native.game_folder .. "/assets", "") or {}) do
    if not path:find("^%.") and not path:find("/.", 1, true) and not path:find("%.lua$") then
      names[#names + 1] = path
    end
  end
  table.sort(names)
  return names
end

local function collect_states(assemblages)
  local names = {}
  for _, template in pairs(assemblages) do
    for state in pairs(template.states or {}) do
      names[state] = true
    end
  end
  return names
end

local function define_all_names(out, by_name)
  if next(assemblage.resolved) == nil then -- no assemblages: usually only plugins are open, and no game
    return
  end
  define_names(out, "Assemblage", list_public_keys(assemblage.resolved))
  define_names(out, "Component", list_public_keys(by_name, function(component)
    return component.kind == "single"
  end))
  define_names(out, "Event", list_public_keys(event.by_name, function(event_type)
    return event_type.on_demand and event_type.schema == nil
  end))
  define_names(out, "State", list_public_keys(collect_states(assemblage.resolved)))
  define_names(out, "Sequence", list_public_keys(sequence.programs))
  define_names(out, "Scene", list_public_keys(scene.files))
  define_names(out, "System", list_public_keys(system.by_name))
  define_names(out, "Action", list_public_keys(input.actions))
  define_names(out, "Asset", list_assets())
end

-- Returns the definitions of everything that the open plugins and the game declare. In the menu, where no game is open,
-- returns the definitions of Shoal's own components.
---@return string text
function M.generate_text()
  if native.is_menu then
    local out = { "---@meta", "-- Built-in components. Generated by `shoal play --types`.", "" }
    define_builtins(out, components.by_name)
    return table.concat(out, "\n") .. "\n"
  end
  -- Both diagnostics would report intended duplicates: shoal.lua declares the same shoal.names.* aliases, as `string`,
  -- for games without definitions; and a game may declare a component with the name of a built-in one.
  local out = { "---@meta", "---@diagnostic disable: duplicate-doc-alias, duplicate-doc-field",
    "-- Generated by `shoal --types` from the declarations of the game and its plugins.", "" }
  local list = {}
  for i, plugin in ipairs(plugins.list) do
    list[i] = plugin
  end
  table.sort(list, function(a, b)
    return a.name < b.name
  end)
  for _, plugin in ipairs(list) do
    out[#out + 1] = ("-- %s, version %d"):format(plugin.name, plugin.version)
    local parts = { "---@class shoal.Entity" }
    for _, name in ipairs(sorted_keys(components.by_name)) do
      local component = components.by_name[name]
      if component.plugin == plugin.name then
        out[#out + 1] = "---@class " .. format_class_name(name)
        define_fields(out, component)
        out[#out + 1] = ""
        parts[#parts + 1] = ("---@field %s %s"):format(name, format_class_name(name))
      end
    end
    out[#out + 1] = table.concat(parts, "\n")
    out[#out + 1] = ""
    out[#out + 1] = ("shoal.plugins.%s = {}"):format(plugin.name)
    out[#out + 1] = ""
    for _, declaration in ipairs(plugin.functions) do
      define_function(out, plugin.name, declaration)
    end
  end
  define_game(out, components.by_name)
  define_events(out, event.by_name)
  define_all_names(out, components.by_name)
  return table.concat(out, "\n") .. "\n"
end

return M

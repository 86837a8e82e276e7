-- Names inside add-ons. Names that an add-on declares have a prefix outside the add-on ("menu.cursor"), but not in the
-- add-on's own code (`cursor`, a plain name). Each table that looks up names has a variant per add-on, which also
-- contains the plain names. Entering an add-on replaces the tables with these variants, at the same cost for any number
-- of names; lookups cost the same inside and outside of add-ons.
local jit = require("jit")

---@class engine.Addon
---@field name string the add-on's name in the game, "menu"
---@field own string the add-on's name in addon.lua, by which different add-ons require it
---@field version string
---@field licence? string
---@field prefix string prefix of the add-on's names outside the add-on: "menu."
---@field folder string absolute path
---@field native boolean true if the add-on contains native code and may run it
---@field plugins string[]
---@field layers string[] plain names of its collision layers
---@field root string prefix of its files, "addons/menu/"
---@field names table<string, table<string, boolean>> kind → set of the plain names that the add-on declares
---@field others table<string, engine.Addon> the add-ons that this add-on requires, by their names in addon.lua
---@field variants? table[] variants of the registered tables, in registration order; nil while files are loaded

---@class engine.scope
---@field current engine.Addon|false the add-on whose code runs; false: the game
---@field by_name table<string, engine.Addon>
---@field list engine.Addon[] sorted by name
local M = { current = false, by_name = {}, list = {} }

-- Registered tables: `base` is the table of the game's scope, set when loading ends; `names` lists the keys of a table
-- whose metatable generates the values.
local tables = {} ---@type { kind: string, owner: table, field: string, base?: table, names?: table }[]
local NONE = {}
local use_tables ---@type fun(list: table[]) replaces all registered tables; nil while files are loaded
local base_tables = {} -- the registered tables of the game's scope, in registration order

-- Registers owner[field], a table indexed by name. Code of an add-on sees a variant that contains its plain names.
---@param kind "component"|"event"|"assemblage"|"layer"
---@param owner table
---@param field string
---@param names? table for a table whose metatable generates the values: its possible keys
function M.register(kind, owner, field, names)
  tables[#tables + 1] = { kind = kind, owner = owner, field = field, names = names }
end

-- Returns the full name of `name` in code of `addon`: "menu.cursor" for its own `cursor`. In "pause.open", a name of a
-- required add-on, replaces the prefix with the name that the game gives that add-on. Returns any other name unchanged.
---@param kind string
---@param name any
---@param addon engine.Addon|false
---@return any
function M.add_prefix(kind, name, addon)
  if not addon or type(name) ~= "string" then
    return name
  elseif (addon.names[kind] or NONE)[name] then
    return kind == "asset" and addon.name .. "/" .. name or addon.prefix .. name
  end
  local addon_name, rest = name:match(kind == "asset" and "^([^/]+)/(.+)$" or "^([^.]+)%.(.+)$")
  local required_addon = addon_name and addon.others[addon_name]
  return required_addon and required_addon.name .. (kind == "asset" and "/" or ".") .. rest or name
end

-- Returns a path to a field, "points.n" or "settings.volume", with the full name of its component or setting.
---@param path any
---@param addon engine.Addon|false
---@return any
function M.add_path_prefix(path, addon)
  if not addon or type(path) ~= "string" then
    return path
  end
  local setting = path:match("^settings%.(.+)$")
  if setting then
    return "settings." .. M.add_prefix("setting", setting, addon)
  end
  -- A path such as "menu.idle.seconds" begins with the full name of a component.
  local component_name, rest = path:match("^([^.]+%.[^.]+)(%..+)$")
  local full_name = component_name and M.add_prefix("component", component_name, addon)
  if full_name and full_name ~= component_name then
    return full_name .. rest
  end
  return (path:gsub("^[^.]+", function(name) return M.add_prefix("component", name, addon) end))
end

-- Returns the full name of `name` in the running code.
---@param kind string
---@param name any
---@return any
function M.name(kind, name)
  if M.current then
    return M.add_prefix(kind, name, M.current)
  end
  return name
end

-- Returns the value of a field, with names that belong to the running code's add-on replaced with full names. `kind`:
-- the kind of the names that the field contains, or "path" for paths to fields. If it is nil, the value is not changed.
---@param kind string?
---@param v any
---@return any
function M.value(kind, v)
  if not kind or not M.current then
    return v
  end
  return kind == "path" and M.add_path_prefix(v, M.current) or M.add_prefix(kind, v, M.current)
end

-- Records that the add-on declares `name`, given without the prefix. Does nothing if `addon` is false.
---@param addon engine.Addon|false
---@param kind string
---@param name any
function M.declare(addon, kind, name)
  if addon and type(name) == "string" then
    addon.names[kind] = addon.names[kind] or {}
    addon.names[kind][name] = true
  end
end

-- Returns the names of a kind that the add-on's code may abbreviate: short name → full name.
local function collect_short_names(kind, addon)
  local out = {}
  for plain_name in pairs(addon.names[kind] or NONE) do
    out[plain_name] = addon.prefix .. plain_name
  end
  for original_name, required_addon in pairs(addon.others) do
    for plain in pairs(original_name ~= required_addon.name and required_addon.names[kind] or NONE) do
      out[original_name .. "." .. plain] = required_addon.prefix .. plain
    end
  end
  return out
end

-- Returns the variant of a table whose metatable generates the values. Reserves slots for all keys, because compiled
-- code specializes on the slot of a key (schema/component.lua).
local function make_generated(item, short_names)
  local base, out = item.base, {}
  for _, names in ipairs { item.names, short_names } do
    for name in pairs(names) do
      out[name] = true
    end
  end
  for name in pairs(out) do
    out[name] = nil
  end
  local function find_value(t, name)
    local v = base[short_names[name] or name]
    if v ~= nil then
      rawset(t, name, v)
    end
    return v
  end
  jit.off(find_value)
  return setmetatable(out, { __index = find_value })
end

local function make_variant(item, addon)
  local short_names = collect_short_names(item.kind, addon)
  if item.names then
    return make_generated(item, short_names)
  end
  local out = {}
  for name, v in pairs(item.base) do
    out[name] = v
  end
  for short_name, full_name in pairs(short_names) do
    if item.base[full_name] ~= nil then
      out[short_name] = item.base[full_name]
    end
  end
  return out
end

-- Generates a function without a loop, which LuaJIT can compile as part of a calling loop.
local function generate_use_tables()
  local owners, code = {}, { "local owners = ..." }
  for i, item in ipairs(tables) do
    owners[i] = item.owner
    code[#code + 1] = ("local o%d = owners[%d]"):format(i, i)
  end
  code[#code + 1] = "return function(list)"
  for i, item in ipairs(tables) do
    code[#code + 1] = ("o%d.%s = list[%d]"):format(i, item.field, i)
  end
  code[#code + 1] = "end"
  return loadstring(table.concat(code, "\n"), "@[shoal]/base/scope.lua")(owners)
end

-- Sets the add-on whose code runs from now on; `false` for the game.
---@param addon engine.Addon|false
function M.set(addon)
  if M.current ~= addon then
    M.current = addon
    if use_tables then
      use_tables(addon and addon.variants or base_tables)
    end
  end
end

-- Ends loading: from now on, code of an add-on sees its variants of the registered tables.
function M.finish_loading()
  M.set(false)
  if #M.list == 0 then
    return
  end
  for i, item in ipairs(tables) do
    item.base = item.owner[item.field]
    base_tables[i] = item.base
  end
  for _, addon in ipairs(M.list) do
    addon.variants = {}
    for i, item in ipairs(tables) do
      addon.variants[i] = make_variant(item, addon)
    end
  end
  use_tables = generate_use_tables()
end

-- Calls f(...) in the scope of the game, where it may replace or modify the registered table `owner[field]`, and
-- updates the add-ons' variants of that table. Returns the result of `f`. If `f` raises an error, the previous table is
-- used again.
---@param owner table
---@param field string
---@param f fun(...): any
---@param ... any
---@return any
function M.update(owner, field, f, ...)
  local outer_addon = M.current
  M.set(false)
  local previous_table = owner[field]
  local ok, result = pcall(f, ...)
  if not ok then
    owner[field] = previous_table
  end
  for i, item in ipairs(use_tables and ok and tables or NONE) do
    if item.owner == owner and item.field == field then
      item.base, base_tables[i] = owner[field], owner[field]
      for _, addon in ipairs(M.list) do
        addon.variants[i] = make_variant(item, addon)
      end
    end
  end
  M.set(outer_addon)
  if not ok then
    error(result, 0)
  end
  return result
end

local function restore_scope(outer_addon, ...)
  M.set(outer_addon)
  return ...
end

local wrappers = {} -- function → its wrapper

-- Returns a function that runs `f` as code of the add-on. If `f` throws, the add-on's scope remains in use: the caller
-- that catches the error must restore the previous scope.
---@param f function
---@param addon engine.Addon
---@return function
function M.wrap(f, addon)
  if not wrappers[f] then
    wrappers[f] = function(...)
      local outer_addon = M.current
      M.set(addon)
      return restore_scope(outer_addon, f(...))
    end
  end
  return wrappers[f]
end

-- Returns the add-on and the plain name of a full name, "menu.cursor"; false and the name if it belongs to no add-on.
---@param name string
---@return engine.Addon|false
---@return string
function M.split_name(name)
  local addon_name = name:match("^([^.]+)%.")
  local addon = addon_name and M.by_name[addon_name] or false
  return addon, addon and name:sub(#addon.prefix + 1) or name
end

-- Returns the add-on to which a file belongs, or false for files of the game and the engine.
---@param file string
---@return engine.Addon|false
function M.find_addon_of_file(file)
  local name = file:match("^addons/([^/]+)/")
  return name and M.by_name[name] or false
end

return M

-- Finds, checks and opens add-ons: folders with parts of games, listed in `addons` in game.lua.
local need, native = ...
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local collision_layers = need("schema/collision_layers")
local schema = need("schema/schema")

---@class engine.addons
local M = {}

local FIELDS = { name = "string", version = "string", requires = "table", licence = "string", doc = "string",
  layers = "table", native = "boolean", plugins = "table" }
local ENTRY = { as = "string" }
local NAME = "^[%a_][%w_]*$"
local MAX_ADDONS = 32 -- equal to SOURCES_MAX_ADDONS in script/sources.h

-- --- versions

-- Returns the numbers of a version such as "1.2.0" or "1.2", or nil if `text` is not a version.
local function parse_version(text)
  local parts = {}
  for part in tostring(text):gmatch("[^.]+") do
    parts[#parts + 1] = part:find("^%d+$") and #part <= 9 and tonumber(part) or nil
  end
  local _, dots = tostring(text):gsub("%.", "")
  return #parts == dots + 1 and (dots == 1 or dots == 2) and parts or nil
end

-- Returns a negative number, 0 or a positive number if version `a` is older than, equal to or newer than `b`.
local function compare_versions(a, b)
  for i = 1, 3 do
    if (a[i] or 0) ~= (b[i] or 0) then
      return (a[i] or 0) - (b[i] or 0)
    end
  end
  return 0
end

local TESTS = {
  [">="] = function(order) return order >= 0 end,
  [">"] = function(order) return order > 0 end,
  ["="] = function(order) return order == 0 end,
  [""] = function(order) return order == 0 end,
}

-- Returns true if `version` meets a requirement such as ">=1.0", false if not, and nil if the requirement is malformed.
local function meets_requirement(version, requirement)
  local operator, required = tostring(requirement):match("^([<>=]*)%s*([%d.]+)$")
  local parts = required and parse_version(required)
  if not parts or not TESTS[operator] then
    return nil
  end
  return TESTS[operator](compare_versions(parse_version(version), parts))
end

-- --- finding

-- Reads the entries of `addons`. Calls fail(key, message, …) for the first invalid entry. Returns a list of { path,
-- base, as }, in which `base` is the last component of the path, and `as` is the add-on's name in the game (nil:
-- `base`).
local function read_entries(entries, fail)
  local out = {}
  for key, entry in pairs(entries) do
    local path, alias = entry, nil
    if type(entry) == "table" then
      for field, v in pairs(entry) do
        if field ~= 1 and (not ENTRY[field] or type(v) ~= "string" or not v:find(NAME)) then
          fail("addons", "an entry of addons can have only the field `as`, the name of the add-on in this game, got "
            .. "%s: use { \"pause_menu\", as = \"menu\" }", report.describe(field))
        end
      end
      path, alias = entry[1], entry.as
    end
    if type(key) ~= "number" or type(path) ~= "string" or not path:find("[%w_]/*$") then
      fail("addons", "addons must be a list of names and paths, got %s: use { \"pause_menu\", \"../my/enemies\" }",
        report.describe(path))
    end
    local trimmed_path = path:gsub("/+$", "")
    if trimmed_path:find("^[/\\]") or trimmed_path:find("^.:") then
      fail("addons", "the path of an add-on must be relative to the game's folder, \"../my/enemies\", got %s",
        report.describe(path))
    end
    out[#out + 1] = { path = trimmed_path, base = trimmed_path:match("[^/]+$"), as = alias }
  end
  if #out > MAX_ADDONS then
    fail("addons", "too many add-ons: %d (at most %d)", #out, MAX_ADDONS)
  end
  return out
end

local function list_folder_names(folder)
  local out = {}
  for _, file in ipairs(native.list_files(folder, "addon.lua") or {}) do
    out[#out + 1] = file:match("^([^/]+)/addon%.lua$")
  end
  return out
end

-- Returns the folder of an entry: its path, or the folder with its name in the game's or the engine's addons/. In a
-- package, all add-ons are in the game's addons/, under their names in the game.
local function find_folder(entry, name, fail)
  local engine_addons = native.engine_folder:gsub("/shoal/*$", "/addons/")
  local is_path = entry.path:find("/", 1, true) ~= nil
  local candidates = is_path and { entry.path } or { "addons/" .. entry.base, engine_addons .. entry.base }
  for _, candidate in ipairs(native.is_packaged and { "addons/" .. name } or candidates) do
    local folder, has_file = native.addon_folder(candidate)
    if folder and has_file then
      return folder
    elseif not folder and has_file then
      fail("addons", "%s", has_file)
    elseif folder then
      fail("addons", "the folder %s of an add-on has no addon.lua: create it with return { name = \"%s\", "
        .. "version = \"1.0.0\" }", entry.path, entry.base)
    end
  end
  if is_path then
    fail("addons", "cannot find the add-on %s: folder %s not found", entry.base, entry.path)
  end
  local names = list_folder_names(native.game_folder .. "/addons")
  for _, other_name in ipairs(list_folder_names(engine_addons)) do
    names[#names + 1] = other_name
  end
  fail("addons", "unknown add-on %s%s (searched addons/ of the game, and scripts/addons/)", entry.base,
    report.hint(entry.base, names))
end

-- --- addon.lua

local function check_fields(declaration, source)
  local function fail(key, message, ...)
    report.fail { message = string.format(message, ...), file = source.file, line = key
      and report.find_line(source.text, key)
      or 1, piece = source.file }
  end
  if type(declaration) ~= "table" then
    fail(nil, "addon.lua must return a table: return { name = \"pause_menu\", version = \"1.0.0\" }")
  end
  for key, v in pairs(declaration) do
    if not FIELDS[key] then
      fail(key, "addon.lua has no field %s%s; available: %s", report.show(key), report.suggest(key, FIELDS),
        report.join_names(FIELDS))
    elseif type(v) ~= FIELDS[key] then
      fail(key, "%s must be a %s, got %s", key, FIELDS[key], report.describe(v))
    end
  end
  if not declaration.name or not declaration.name:find(NAME) or #declaration.name > 40 then
    fail("name", "name must consist of 1 to 40 letters, digits and _, and not begin with a digit, got %s",
      report.describe(declaration.name))
  elseif not declaration.version or not parse_version(declaration.version) then
    fail("version", "version must consist of two or three numbers, such as \"1.2.0\", got %s",
      report.describe(declaration.version))
  end
  for name, requirement in pairs(declaration.requires or {}) do
    if type(name) ~= "string" or meets_requirement("1.0", requirement) == nil then
      fail("requires",
        "requires must map add-on names to versions, such as requires = { menu = \">=1.0\" }, got %s = %s",
        report.show(name), report.describe(requirement))
    end
  end
  return fail
end

-- Adds the files of an add-on, and reads addon.lua. `run_file(file)` runs a file.
local function open_addon(entry, run_file, fail)
  local name = entry.as or entry.base
  if not name:find(NAME) then
    fail("addons", "an add-on cannot be named %s: use { \"%s\", as = \"%s\" }", name, entry.path,
      (name:gsub("[^%w_]", "_"):gsub("^%d", "_%0")))
  elseif scope.by_name[name] then
    fail("addons", "two add-ons are named %s: give one of them a different name, { \"%s\", as = \"%s_2\" }", name,
      entry.path, name)
  end
  local folder = find_folder(entry, name, fail)
  local ok, problem = native.add_addon(name, folder)
  if not ok then
    fail("addons", "%s", problem)
  end
  local root = "addons/" .. name .. "/"
  local declaration, source = run_file(root .. "addon.lua")
  local fail_field = check_fields(declaration, source)
  native.set_addon_version(name, declaration.version)
  local addon = { name = name, own = declaration.name, version = declaration.version, licence = declaration.licence,
    doc = declaration.doc,
    prefix = name .. ".", root = root, names = {}, others = {}, requires = declaration.requires or {},
    layers = declaration.layers or {}, plugins = declaration.plugins or {}, native = declaration.native == true,
    folder = folder, fail = fail_field }
  scope.by_name[name] = addon
  scope.list[#scope.list + 1] = addon
  for _, file in ipairs(native.list_files(folder .. "/assets", "") or {}) do
    scope.declare(addon, "asset", file)
    scope.declare(addon, "asset", (file:gsub("%.%w+$", "")))
    scope.declare(addon, "asset", (file:gsub("_%d+%.%w+$", "")))
  end
end

-- --- requirements

local function check_cycle(addon, chain)
  for i, ancestor in ipairs(chain) do
    if ancestor == addon then
      local names = {}
      for k = i, #chain do
        names[#names + 1] = chain[k].own
      end
      addon.fail("requires", "cyclic requirements: %s → %s", table.concat(names, " → "), addon.own)
    end
  end
  chain[#chain + 1] = addon
  for _, required_name in ipairs(sorted_keys(addon.requires)) do
    check_cycle(addon.others[required_name], chain)
  end
  chain[#chain] = nil
end

local function check_requirements()
  local by_original_name = {}
  for _, addon in ipairs(scope.list) do
    local duplicate = by_original_name[addon.own]
    if duplicate then
      addon.fail("name", "the add-on %s is used twice, as %s and as %s: remove one of the entries", addon.own,
        duplicate.name,
        addon.name)
    end
    by_original_name[addon.own] = addon
  end
  for _, addon in ipairs(scope.list) do
    for _, required_name in ipairs(sorted_keys(addon.requires)) do
      local required_addon, requirement = by_original_name[required_name], addon.requires[required_name]
      if not required_addon then
        addon.fail(required_name,
          "%s requires %s %s, which the game does not use: add it to addons in game.lua: \"%s\"",
          addon.own, required_name, requirement, required_name)
      elseif not meets_requirement(required_addon.version, requirement) then
        addon.fail(required_name, "%s requires %s %s, but the game has version %s", addon.own, required_name,
          requirement, required_addon.version)
      end
      addon.others[required_name] = required_addon
    end
  end
  for _, addon in ipairs(scope.list) do
    check_cycle(addon, {})
  end
end

-- Declares the collision layers of the game and its add-ons.
local function declare_layers(game_layers, fail)
  local problem = collision_layers.add(game_layers)
  if problem then
    fail("layers", "%s", problem)
  end
  for _, addon in ipairs(scope.list) do
    for i, name in ipairs(addon.layers) do
      scope.declare(addon, "layer", name)
      addon.layers[i] = scope.add_prefix("layer", name, addon)
    end
    problem = collision_layers.add(addon.layers)
    if problem then
      addon.fail("layers", "%s", problem)
    end
  end
  collision_layers.declare()
end

local function has_library(addon, name)
  for _, file in ipairs(native.list_files(addon.folder .. "/plugins", ".so") or {}) do
    if file == name .. ".so" then
      return true
    end
  end
  return false
end

-- Raises an error for native code that is not allowed. Shipped games and add-ons are trusted.
local function check_native()
  local engine_addons = native.engine_folder:gsub("/shoal/*$", "/addons/")
  for _, addon in ipairs(scope.list) do
    if addon.native and not native.trust and addon.folder:sub(1, #engine_addons) ~= engine_addons then
      addon.fail("native", "the add-on %s contains native code, which can access all your files: start the game with "
        .. "--trust if you trust its author, or remove it from addons in game.lua", addon.name)
    end
    for _, name in ipairs(addon.plugins) do
      if type(name) ~= "string" or not name:match("^[%a_][%w_]*$") then
        addon.fail("plugins", "plugins must be a list of plugin names, got %s: use { \"physics\" }", report.show(name))
      elseif not addon.native and has_library(addon, name) then
        addon.fail("plugins", "the add-on %s contains the library plugins/%s.so: add native = true, and start the game "
          .. "with --trust", addon.name, name)
      end
    end
  end
end

-- Opens the add-ons that `addons` in game.lua lists, and declares the collision layers of the game and its add-ons.
---@param entries any[]
---@param layers any[] the collision layers of the game
---@param run_file fun(file: string): any, engine.At
---@param fail fun(key: string, message: string, ...: any) reports an error in game.lua
function M.open(entries, layers, run_file, fail)
  for _, entry in ipairs(read_entries(entries, fail)) do
    open_addon(entry, run_file, fail)
  end
  table.sort(scope.list, function(a, b) return a.name < b.name end) -- the order in game.lua must not matter
  check_requirements()
  declare_layers(layers, fail)
  check_native()
end

-- Returns the plugins of the game and its add-ons, and adds the folders of the add-ons' libraries.
---@param game_plugins string[]
---@return string[] names
function M.list_plugins(game_plugins)
  local out, added = {}, {}
  local function add(names)
    for _, name in ipairs(names) do
      out[#out + 1] = not added[name] and name or nil
      added[name] = true
    end
  end
  add(game_plugins)
  for _, addon in ipairs(scope.list) do
    add(addon.plugins)
    if addon.native then
      native.add_plugin_folder(addon.folder .. "/plugins")
    end
  end
  return out
end

-- --- component names and module results

-- Checks the name of a component or behaviour. An add-on may not use the name of an entity method. The game may not use
-- the name of an add-on, because the add-on's components are named `menu.NAME`.
---@param name any
---@param addon engine.Addon|false
---@param fail fun(message: string, ...: any)
function M.check_component_name(name, addon, fail)
  if not addon and scope.by_name[name] then
    fail("the component %s has the name of an add-on: rename it, or use the add-on under a different name, { \"%s\", "
      .. "as = \"…\" } in addons", name, name)
  elseif addon and (type(name) ~= "string" or not name:find(NAME)) then
    fail("a component's name must consist of letters, digits and _, got %s", report.describe(name))
  end
  for _, method in ipairs(addon and schema.entity_methods or {}) do
    if method == name then
      fail("a component cannot be named %s: entities have a method with this name", name)
    end
  end
end

-- Wraps an add-on module's result for files outside the add-on: its functions run as code of the add-on.
---@param result any
---@param addon engine.Addon
---@return any
function M.get_exported(result, addon)
  if type(result) == "function" then
    return scope.wrap(result, addon)
  elseif type(result) ~= "table" or getmetatable(result) ~= nil then
    return result
  end
  local out = {}
  for key, v in pairs(result) do
    out[key] = type(v) == "function" and scope.wrap(v, addon) or v
  end
  return out
end

return M

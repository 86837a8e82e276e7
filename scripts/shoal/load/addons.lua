-- Add-ons: folders with parts of games, listed in `addons` in game.lua. Finds and checks add-ons.
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
local MAX = 32 -- equal to SOURCES_MAX_ADDONS in script/sources.h

-- --- versions

-- Returns the parts of a version, "1.2.0" or "1.2", as numbers; nil if it is not a version.
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

-- Calls fail(key, message, …) for the first invalid entry of `addons`. Returns a list of { given, base, path, as }:
-- `base` is the last component of the path.
local function read_entries(given, fail)
  local out = {}
  for key, entry in pairs(given) do
    local path, as = entry, nil
    if type(entry) == "table" then
      for field, v in pairs(entry) do
        if field ~= 1 and (not ENTRY[field] or type(v) ~= "string" or not v:find(NAME)) then
          fail("addons", "an entry of addons can have only the field `as`, the name of the add-on in this game, got "
            .. "%s: use { \"pause_menu\", as = \"menu\" }", report.describe(field))
        end
      end
      path, as = entry[1], entry.as
    end
    if type(key) ~= "number" or type(path) ~= "string" or not path:find("[%w_]/*$") then
      fail("addons", "addons must be a list of names and paths, got %s: use { \"pause_menu\", \"../my/enemies\" }",
        report.describe(path))
    end
    local plain = path:gsub("/+$", "")
    if plain:find("^/") then
      fail("addons", "the path of an add-on must be relative to the game's folder, \"../my/enemies\", got %s",
        report.describe(path))
    end
    out[#out + 1] = { path = plain, base = plain:match("[^/]+$"), as = as }
  end
  if #out > MAX then
    fail("addons", "too many add-ons: %d (at most %d)", #out, MAX)
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

-- Returns the folder of an entry: the path, or a folder of that name in the game's addons/ or in the engine's. In a
-- package, all add-ons are in the game's addons/, under the names that the game gives them.
local function find_folder(entry, name, fail)
  local shipped = native.engine_folder:gsub("/shoal/*$", "/addons/")
  local is_path = entry.path:find("/", 1, true) ~= nil
  local candidates = is_path and { entry.path } or { "addons/" .. entry.base, shipped .. entry.base }
  for _, candidate in ipairs(native.is_packaged and { "addons/" .. name } or candidates) do
    local folder, has_file = native.addon_folder(candidate)
    if folder and has_file then
      return folder
    elseif folder then
      fail("addons", "the folder %s of an add-on has no addon.lua: create it with return { name = \"%s\", "
        .. "version = \"1.0.0\" }", entry.path, entry.base)
    end
  end
  if is_path then
    fail("addons", "cannot find the add-on %s: folder %s not found", entry.base, entry.path)
  end
  local names = list_folder_names(native.game_folder .. "/addons")
  for _, other in ipairs(list_folder_names(shipped)) do
    names[#names + 1] = other
  end
  fail("addons", "unknown add-on %s%s (searched addons/ of the game, and scripts/addons/)", entry.base,
    report.hint(entry.base, names))
end

-- --- addon.lua

local function check_fields(given, at)
  local function fail(key, message, ...)
    report.fail { message = string.format(message, ...), file = at.file, line = key and report.find_line(at.text, key)
      or 1, piece = at.file }
  end
  if type(given) ~= "table" then
    fail(nil, "addon.lua must return a table: return { name = \"pause_menu\", version = \"1.0.0\" }")
  end
  for key, v in pairs(given) do
    if not FIELDS[key] then
      fail(key, "addon.lua has no field %s%s; available: %s", report.plain(key), report.suggestion(key, FIELDS),
        report.join_names(FIELDS))
    elseif type(v) ~= FIELDS[key] then
      fail(key, "%s must be a %s, got %s", key, FIELDS[key], report.describe(v))
    end
  end
  if not given.name or not given.name:find(NAME) or #given.name > 40 then
    fail("name", "name must consist of 1 to 40 letters, digits and _, and not begin with a digit, got %s",
      report.describe(given.name))
  elseif not given.version or not parse_version(given.version) then
    fail("version", "version must consist of two or three numbers, such as \"1.2.0\", got %s",
      report.describe(given.version))
  end
  for name, requirement in pairs(given.requires or {}) do
    if type(name) ~= "string" or meets_requirement("1.0", requirement) == nil then
      fail("requires",
        "requires must map add-on names to versions, such as requires = { menu = \">=1.0\" }, got %s = %s",
        report.plain(name), report.describe(requirement))
    end
  end
  return fail
end

-- Adds the files of an add-on, and reads addon.lua. `run(file)` runs a file.
local function open_addon(entry, run, fail)
  local name = entry.as or entry.base
  if not name:find(NAME) then
    fail("addons", "an add-on cannot be named %s: use { \"%s\", as = \"%s\" }", name, entry.path,
      (name:gsub("[^%w_]", "_"):gsub("^%d", "_%0")))
  elseif scope.by_name[name] then
    fail("addons", "two add-ons are named %s: give one of them another name, { \"%s\", as = \"%s_2\" }", name,
      entry.path, name)
  end
  local folder = find_folder(entry, name, fail)
  local ok, problem = native.add_addon(name, folder)
  if not ok then
    fail("addons", "%s", problem)
  end
  local root = "addons/" .. name .. "/"
  local given, at = run(root .. "addon.lua")
  local fail_field = check_fields(given, at)
  native.set_addon_version(name, given.version)
  local addon = { name = name, own = given.name, version = given.version, licence = given.licence, doc = given.doc,
    prefix = name .. ".", root = root, names = {}, others = {}, requires = given.requires or {},
    layers = given.layers or {}, plugins = given.plugins or {}, native = given.native == true,
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
  for i, seen in ipairs(chain) do
    if seen == addon then
      local names = {}
      for k = i, #chain do
        names[#names + 1] = chain[k].own
      end
      addon.fail("requires", "cyclic requirements: %s → %s", table.concat(names, " → "), addon.own)
    end
  end
  chain[#chain + 1] = addon
  for _, own in ipairs(sorted_keys(addon.requires)) do
    check_cycle(addon.others[own], chain)
  end
  chain[#chain] = nil
end

local function check_requirements()
  local by_own = {}
  for _, addon in ipairs(scope.list) do
    local twin = by_own[addon.own]
    if twin then
      addon.fail("name", "the add-on %s is used twice, as %s and as %s: remove one of the entries", addon.own,
        twin.name,
        addon.name)
    end
    by_own[addon.own] = addon
  end
  for _, addon in ipairs(scope.list) do
    for _, own in ipairs(sorted_keys(addon.requires)) do
      local other, requirement = by_own[own], addon.requires[own]
      if not other then
        addon.fail(own, "%s requires %s %s, which the game does not use: add it to addons in game.lua: \"%s\"",
          addon.own, own, requirement, own)
      elseif not meets_requirement(other.version, requirement) then
        addon.fail(own, "%s requires %s %s, but the game has version %s", addon.own, own, requirement, other.version)
      end
      addon.others[own] = other
    end
  end
  for _, addon in ipairs(scope.list) do
    check_cycle(addon, {})
  end
end

-- Declares the collision layers of the game and of its add-ons.
local function declare_layers(of_game, fail)
  local problem = collision_layers.add(of_game)
  if problem then
    fail("layers", "%s", problem)
  end
  for _, addon in ipairs(scope.list) do
    for i, name in ipairs(addon.layers) do
      scope.declare(addon, "layer", name)
      addon.layers[i] = scope.full("layer", name, addon)
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
  local shipped = native.engine_folder:gsub("/shoal/*$", "/addons/")
  for _, addon in ipairs(scope.list) do
    if addon.native and not native.trust and addon.folder:sub(1, #shipped) ~= shipped then
      addon.fail("native", "the add-on %s contains native code, which can access all your files: start the game with "
        .. "--trust if you trust its author, or remove it from addons in game.lua", addon.name)
    end
    for _, name in ipairs(addon.plugins) do
      if type(name) ~= "string" or not name:match("^[%a_][%w_]*$") then
        addon.fail("plugins", "plugins must be a list of plugin names, got %s: use { \"physics\" }", report.plain(name))
      elseif not addon.native and has_library(addon, name) then
        addon.fail("plugins", "the add-on %s contains the library plugins/%s.so: add native = true, and start the game "
          .. "with --trust", addon.name, name)
      end
    end
  end
end

-- Opens the add-ons that `addons` in game.lua lists, and declares the collision layers of the game and its add-ons.
---@param given any[]
---@param layers any[] the collision layers of the game
---@param run fun(file: string): any, engine.At
---@param fail fun(key: string, message: string, ...: any) reports an error in game.lua
function M.open(given, layers, run, fail)
  for _, entry in ipairs(read_entries(given, fail)) do
    open_addon(entry, run, fail)
  end
  table.sort(scope.list, function(a, b) return a.name < b.name end) -- the order in game.lua must not matter
  check_requirements()
  declare_layers(layers, fail)
  check_native()
end

-- Returns the plugins of the game and of its add-ons, and adds the folders of the add-ons' libraries.
---@param of_game string[]
---@return string[] names
function M.plugins(of_game)
  local out, seen = {}, {}
  local function add(names)
    for _, name in ipairs(names) do
      out[#out + 1] = not seen[name] and name or nil
      seen[name] = true
    end
  end
  add(of_game)
  for _, addon in ipairs(scope.list) do
    add(addon.plugins)
    if addon.native then
      native.add_plugin_folder(addon.folder .. "/plugins")
    end
  end
  return out
end

-- --- checks and results of files

-- Checks the name of a component or behaviour: an add-on may not use the name of a method, and the game may not use the
-- name of an add-on, whose components are `menu.NAME`.
---@param name any
---@param addon engine.Addon|false
---@param fail fun(message: string, ...: any)
function M.check_component_name(name, addon, fail)
  if not addon and scope.by_name[name] then
    fail("the component %s has the name of an add-on: rename it, or use the add-on under another name, { \"%s\", as = "
      .. "\"…\" } in addons", name, name)
  elseif addon and (type(name) ~= "string" or not name:find(NAME)) then
    fail("a component's name must consist of letters, digits and _, got %s", report.describe(name))
  end
  for _, method in ipairs(addon and schema.entity_methods or {}) do
    if method == name then
      fail("a component cannot be named %s: entities have a method with this name", name)
    end
  end
end

-- Returns an add-on module's result for use by files outside the add-on: the functions in it run as code of the add-on.
---@param result any
---@param addon engine.Addon
---@return any
function M.exported(result, addon)
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

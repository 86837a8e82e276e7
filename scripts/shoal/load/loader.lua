-- Loads a game folder: runs every file once in the sandbox, and checks the value that the file returns. Does not change
-- the world.
local need, native = ...
local abi = need("base/abi")
local cache = need("base/cache")
local protected_call = need("base/protected_call")
local hidden_state = need("base/hidden_state")
local log = need("base/log")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local cockpit = need("kit/cockpit")
local input = need("kit/input")
local match_menu = need("kit/match_menu")
local music = need("kit/music")
local options = need("kit/options")
local players = need("kit/players")
local scene = need("kit/scene")
local settings = need("kit/settings")
local shaders = need("kit/shaders")
local ui = need("kit/ui")
local game_strings = need("kit/game_strings")
local addons = need("load/addons")
local code_names = need("load/code_names")
local literals = need("load/literals")
local machine_fields = need("load/machine_fields")
local missing_globals = need("load/missing_globals")
local find_pointer_use = need("load/pointer_use")
local warn_of_any_player = need("load/any_player")
local warn_of_old_names = need("load/old_names")
local sandbox = need("load/sandbox")
local served_rooms = need("load/served_rooms")
local chronicle_settings = need("load/chronicle_settings")
local owned = need("world/owned")
local room = need("world/room")
local chronicle = need("world/chronicle")
local audio = need("media/audio")
local data = need("media/data_files")
local advice = need("messages/advice")
local api_hints = need("messages/api_hints")
local components = need("schema/component")
local full_names = need("schema/full_names")
local literal = need("schema/literal")
local presets = need("schema/presets")
local renames = need("schema/renames")
local requirements = need("schema/requirements")
local schema = need("schema/schema")
local types = need("schema/types")
local value = need("schema/value")
local behaviour = need("systems/behaviour")
local searches = need("systems/searches")
local sequence = need("systems/sequence")
local system = need("systems/system")
local assemblage = need("world/assemblage")
local declared_values = need("world/declared_values")
local event = need("world/event")
local plugins = need("world/plugins")

---@class engine.loader
---@field declared engine.Schema[] in the order of the files
local M = { declared = {} }
local FOLDER = native.game_folder
local GAME_KEYS = { title = "string", width = "number", height = "number", tick_rate = "number", plugins = "table",
  native = "boolean", start = "function", scene = "string", history = "number", autosave = "number", id = "string",
  tests = "boolean", budget = "table", window = "table", dead_zone = "number", fonts = "table",
  buses = "table", layers = "table", addons = "table", version = "string", multiplayer = "table", rewind = "boolean",
  clips = "boolean", serve = "table", chronicle = "table" }
-- Units of budgets: milliseconds, except for SQL, which is measured in steps of SQLite's virtual machine.
local BUDGETS = { system = "milliseconds", start = "milliseconds", load = "milliseconds", sql = "steps" }
local MAX_BUDGETS = { milliseconds = 3600000, steps = 1e12 }

-- Fields of `window` in game.lua, with their types.
local WINDOW = { width = "number", height = "number", scale = "string", filter = "string", fullscreen = "boolean",
  resizable = "boolean", vsync = "boolean", icon = "string", run_in_background = "boolean",
  expand_in_match = "boolean" }
M.SCALES = { fit = 0, integer = 1, stretch = 2, expand = 3 } -- values of letterbox_mode_t
local FILTERS = { pixels = true, smooth = true }

local function fail(file, line, format, ...)
  report.fail { message = string.format(format, ...), file = file, line = line, piece = file }
end

local function read_source(file)
  local text, problem = native.source(file)
  if not text then
    fail(file, 0, "%s", problem)
  end
  return text
end

-- Returns true if a file exists. Fails if the file cannot be read, for example because it is a link out of the folder.
local function has_file(file)
  return native.has_source(file) and read_source(file) ~= nil
end

local roots = {} -- checked by base/hidden_state.lua: { value that a file returns, the file }

local chunks = {} ---@type { [1]: function, [2]: string }[] the main chunk and the name of each file

-- Compiles a file. Fails with the file and line if the file has a syntax error, contains compiled Lua, or uses a part
-- of Lua that Shoal does not support (messages/advice.lua), or an unknown global (load/missing_globals.lua).
local function compile_file(file, text, is_required)
  local chunk, problem = native.compile(file)
  if not chunk then
    local message, line = report.split_syntax_error(problem)
    if problem:find("wrong mode", 1, true) then
      fail(file, 1, "the file contains compiled Lua: provide the source code")
    end
    local hint = line > 0 and advice.find_syntax_hint(text, line, message)
    message = hint and message:gsub(": remove this symbol.*$", "") .. ": " .. hint or message
    fail(file, line, "%s", message)
  end
  local line, message = advice.find_removed(text)
  if line then
    fail(file, line, "%s", message)
  end
  literal.mark_all(chunk, text)
  chunks[#chunks + 1] = { chunk, file }
  return setfenv(chunk, missing_globals.check(chunk, file, text, is_required))
end

-- Runs a file as code of its add-on. Returns the result of the file, and the file's location for messages.
-- `module_name` is the name by which a script requires the file, and is passed to the file as `...`. It is nil for
-- files that are not required.
local function run_file(file, module_name)
  local text = read_source(file)
  local chunk, addon, outer_addon = compile_file(file, text, module_name ~= nil), scope.find_addon_of_file(file),
    scope.current
  scope.set(addon)
  local result
  if module_name then
    result = chunk(module_name)
  else
    result = chunk()
  end
  if result == nil and not module_name then
    native.mark_unfinished(file)
  end
  scope.set(outer_addon)
  roots[#roots + 1] = { result, file }
  return result, { file = file, text = text, addon = addon }
end

-- Calls f(root, addon) for every add-on, sorted by name, and then for the game itself. `root`: prefix of the file
-- names.
local function visit_roots(f)
  for _, addon in ipairs(scope.list) do
    f(addon.root, addon)
  end
  f("", false)
end

-- --- require

local modules, running_modules = {}, {} -- indexed by file, so that a module required under two names runs once
local exports = {} -- file of an add-on's module → the result that `require` returns outside the add-on

local function run_module(file, name)
  if running_modules[file] then
    report.raise("require: cyclic modules: %s requires itself: move the shared code to a third module", file)
  end
  running_modules[file] = true
  local outer_addon = scope.current
  -- A script that calls require may catch the error.
  local ok, result = protected_call.call(run_file, file, name)
  scope.set(outer_addon)
  running_modules[file] = nil
  if not ok then
    error(result, 0)
  end
  modules[file] = result == nil and true or result
  local addon = scope.find_addon_of_file(file)
  if addon then
    exports[file] = addons.get_exported(modules[file], addon)
    roots[#roots + 1] = { exports[file], file }
  end
  return modules[file]
end

-- Runs a module that a script requires while the game is running. The module runs in the phase `load`, as when files
-- are loaded, so it cannot access the world.
local function run_required_module(file, name)
  local phase, description = phases.enter("load")
  local ok, result = protected_call.call(run_module, file, name)
  phases.enter(phase, description)
  if not ok then
    error(result, 0)
  end
  M.freeze_loaded()
  cache.refresh()
  return result
end

local game_folder_name = FOLDER:match("([^/]+)/*$") or ""

local function is_native_granted()
  if scope.current then
    return scope.current.native
  end
  return state.game and state.game.native and not native.is_shared
    and (native.trust or FOLDER:find(native.engine_folder:gsub("/shoal/*$", "/games/"), 1, true) == 1)
end

-- Returns the end of a message that suggests a module, such as lib.move for lib/move.lua; "" if no name is similar.
-- Prefers a module whose name differs from `name` only in notation.
local function format_module_hint(name)
  local module_names, requested = {}, name:gsub("%.lua$", ""):gsub("[/\\]", "."):gsub("^%.+", "")
  for _, file in ipairs(native.game_files()) do
    if file:find("%.lua$") then
      module_names[#module_names + 1] = file:gsub("%.lua$", ""):gsub("/", ".")
    end
  end
  for _, module in ipairs(module_names) do
    if module == requested and module ~= name then
      return ": did you mean " .. module .. "?"
    end
  end
  local nearest = report.find_nearest(requested, module_names)
  return nearest and ": did you mean " .. nearest .. "?" or ""
end

-- Returns the candidate files for a module in search order: a file in the running code's own folder, then one in the
-- add-on that the first part of the module's name identifies. The init.lua of a folder with the module's name is also a
-- candidate.
local function list_module_files(name, path)
  local addon = scope.current
  local root, files = addon and addon.root or "", {}
  local function add(prefix)
    files[#files + 1], files[#files + 2] = prefix .. ".lua", prefix .. "/init.lua"
  end
  add(root .. path)
  if not addon then
    add((path:gsub("^" .. game_folder_name:gsub("%p", "%%%0") .. "/", "")))
  end
  local first_part, rest = name:match("^([^.]+)%.?(.*)$")
  local is_own = addon and (first_part == addon.name or first_part == addon.own)
  local addon_named = is_own and addon or addon and addon.others[first_part] or not addon and scope.by_name[first_part]
  if addon_named and rest == "" then
    files[#files + 1] = addon_named.root .. "init.lua"
  elseif addon_named then
    add(addon_named.root .. rest:gsub("%.", "/"))
  end
  return files
end

local IS_LIBRARY = {}
for _, name in ipairs(sandbox.LIBRARIES) do
  IS_LIBRARY[name] = true
end

-- Returns a Lua library. Warns if the game has a file with the same name.
local function require_library(name)
  for _, file in ipairs(list_module_files(name, name)) do
    if has_file(file) then
      declared_values.warn(file, 1, string.format("the file is not loaded: require \"%s\" returns Lua's library: "
        .. "rename the file", name))
    end
  end
  return sandbox.env[name]
end

local function require_module(name)
  if IS_LIBRARY[name] then
    return require_library(name)
  elseif name == "ffi" then
    if native.is_shared and not scope.current then
      report.raise("require \"ffi\": code that remote machines can change cannot use FFI")
    end
    if not is_native_granted() then
      report.raise("require \"ffi\": %s must set native = true, and a game outside scripts/games must be "
        .. "started with --trust", scope.current and "addon.lua" or "game.lua")
    end
    abi.C.vm_require_finalizers(abi.vm)
    return require("ffi")
  end
  local module = type(name) == "string" and name:gsub("/", ".") -- slashes are accepted, as in standard Lua
  if not module or not module:match("^[%w_%-]+[%w_%-%.]*$") or module:find("..", 1, true) then
    report.raise("require: %s is not a module name%s", report.show(name), format_module_hint(report.show(name)))
  end
  local path = module:gsub("%.", "/")
  for _, file in ipairs(list_module_files(module, path)) do
    if modules[file] ~= nil or has_file(file) then
      local result = modules[file]
      if result == nil then
        result = (state.loading and run_module or run_required_module)(file, name)
      end
      local addon = scope.find_addon_of_file(file)
      return addon and addon ~= scope.current and exports[file] or result
    end
  end
  report.raise("require: unknown module %s (looked for %s.lua and %s/init.lua in the game's folder)%s", name, path,
    path, format_module_hint(name))
end
sandbox.env.require = require_module

-- --- parts of a game

-- Returns the files of a part, such as "components", of the game or an add-on. They are components.lua, if it exists,
-- and then the files in components/.
local function list_part_files(part, root)
  part = (root or "") .. part
  local out = {}
  if has_file(part .. ".lua") then
    out[1] = part .. ".lua"
  end
  for _, name in ipairs(native.sources(part)) do
    out[#out + 1] = part .. "/" .. name
  end
  return out
end

-- Runs the files of a part, such as "components", of the game or an add-on. Returns the entries of all files as a list
-- of { name, declaration, at }, sorted by name within a file. Raises an error for a duplicate name.
local function run_part_files(part_name, kind, root, addon)
  local file_by_name, out = {}, {}
  for _, file in ipairs(list_part_files(part_name, root)) do
    local entries, source = run_file(file)
    if type(entries) ~= "table" then
      fail(file, 1, "the file must return a table: return { name = … }")
    end
    for _, name in ipairs(sorted_keys(entries)) do
      if type(name) ~= "string" then
        fail(file, 1, "every %s must have a name: return { name = { … } }, not a list", kind)
      end
      if file_by_name[name] then
        fail(file, report.find_line(source.text, name), "two %ss are named %s, in %s and in %s: rename one of them",
          kind,
          tostring(name), file_by_name[name], file)
      end
      file_by_name[name] = file
      scope.declare(addon, kind, name)
      out[#out + 1] = { name, entries[name], source }
    end
  end
  return out
end

-- Calls visit(name, declaration, at, plain_name) for every entry of a part, such as "components", in all add-ons and
-- the game. `name`: the full name; `plain_name`: the name in the file.
local function visit_entries(part, kind, visit)
  local lists = {}
  visit_roots(function(root, addon)
    lists[#lists + 1] = { addon, run_part_files(part, kind, root, addon) }
  end)
  for _, item in ipairs(lists) do
    for _, entry in ipairs(item[2]) do
      visit(scope.add_prefix(kind, entry[1], item[1]), entry[2], entry[3], entry[1])
    end
  end
end

local function check_game_fields(game, fail_field)
  for key, v in pairs(game) do
    if not GAME_KEYS[key] then
      fail_field(key, "game.lua has no field %s%s; available: %s", tostring(key),
        api_hints.suggest("game", key, GAME_KEYS),
        report.join_names(GAME_KEYS))
    elseif type(v) ~= GAME_KEYS[key] then
      fail_field(key, "%s must be a %s, got %s%s", key, GAME_KEYS[key], report.describe(v),
        type(v) == "string" and GAME_KEYS[key] == "table" and ": " .. key .. " = { \"" .. v .. "\" }" or "")
    end
  end
end

local function check_game_numbers(game, fail_field)
  for _, key in ipairs { "width", "height", "tick_rate" } do
    if game[key] and (game[key] < 1 or game[key] > 16384 or game[key] % 1 ~= 0) then
      fail_field(key, "%s must be an integer from 1 to 16384, got %s", key, report.describe(game[key]))
    end
  end
  if game.history and (game.history < 0 or game.history > 65536 or game.history % 1 ~= 0) then
    fail_field("history", "history must be an integer from 0 to 65536 (megabytes), got %s",
      report.describe(game.history))
  end
  if game.autosave and (game.autosave < 0 or game.autosave > 86400 or game.autosave % 1 ~= 0) then
    fail_field("autosave", "autosave must be an integer from 0 (never) to 86400 seconds, got %s",
      report.describe(game.autosave))
  end
  if game.dead_zone and not (game.dead_zone >= 0 and game.dead_zone <= 0.9) then
    fail_field("dead_zone", "dead_zone must be a number from 0 to 0.9, got %s", report.describe(game.dead_zone))
  end
  for key, amount in pairs(game.budget or {}) do
    local unit = BUDGETS[key]
    if not unit then
      fail_field("budget", "budget has no field %s%s; available: %s", report.show(key),
        report.suggest(key, BUDGETS), report.join_names(BUDGETS))
    elseif type(amount) ~= "number" or amount % 1 ~= 0 or amount < 0 or amount > MAX_BUDGETS[unit] then
      fail_field("budget", "budget.%s must be an integer from 0 (unlimited) to %.0f %s, got %s", key,
        MAX_BUDGETS[unit], unit,
        report.describe(amount))
    end
  end
end

local function check_window(window, fail_field)
  for key, v in pairs(window) do
    local kind = WINDOW[key]
    if not kind then
      fail_field("window", "window has no field %s%s; available: %s", report.show(key), report.suggest(key, WINDOW),
        report.join_names(WINDOW))
    elseif type(v) ~= kind then
      fail_field("window", "window.%s must be a %s, got %s", key, kind, report.describe(v))
    elseif kind == "number" and (v < 1 or v > 16384 or v % 1 ~= 0) then
      fail_field("window", "window.%s must be an integer from 1 to 16384, got %s", key, report.describe(v))
    end
  end
  for key, choices in pairs { scale = M.SCALES, filter = FILTERS } do
    if window[key] and choices[window[key]] == nil then
      fail_field("window", "window.%s must be one of %s, got %s%s", key, report.join_names(choices),
        report.describe(window[key]), report.suggest(window[key], choices))
    end
  end
end

local MAX_PLAYERS = 8 -- equal to PLAYER_MAX_LOBBY in platform/player_input.h
local PLAYERS_EXAMPLE = "multiplayer = { players = { 2, 8 } }"

local function check_multiplayer(multiplayer, fail_field)
  for key in pairs(multiplayer) do
    if key ~= "players" then
      fail_field("multiplayer", "multiplayer has no field %s%s; available: players", report.show(key),
        report.suggest(key, { players = true }))
    end
  end
  local range = multiplayer.players
  if type(range) ~= "table" or #range ~= 2 then
    fail_field("multiplayer", "multiplayer.players must be the minimum and the maximum number of players, got %s: %s",
      type(range) == "table" and "a table of " .. #range .. " values" or report.describe(range), PLAYERS_EXAMPLE)
  end
  for key, v in pairs(range) do
    if key ~= 1 and key ~= 2 then
      fail_field("multiplayer", "multiplayer.players has no field %s: %s", report.show(key), PLAYERS_EXAMPLE)
    elseif type(v) ~= "number" or v % 1 ~= 0 or v < 1 or v > MAX_PLAYERS then
      fail_field("multiplayer", "multiplayer.players must be two integers from 1 to %d, got %s: %s", MAX_PLAYERS,
        report.describe(v), PLAYERS_EXAMPLE)
    end
  end
  if range[1] > range[2] then
    fail_field("multiplayer", "multiplayer.players must begin with the minimum, got { %d, %d }: players = { %d, %d }",
      range[1], range[2], range[2], range[1])
  end
end

local function check_game_names(game, fail_field)
  if game.id and not game.id:match("^[%w_][%w_%-]*$") or game.id and #game.id > 60 then
    fail_field("id", "id (which names the game's saves) must consist of 1 to 60 letters, digits, _ and -, and not "
      .. "begin with -, got %s", report.describe(game.id))
  end
  if game.version and (not game.version:match("^[%w.+~%-]+$") or #game.version > 60) then
    fail_field("version", "version must consist of 1 to 60 letters, digits and . + ~ -, such as \"1.2.0\", got %s",
      report.describe(game.version))
  end
  for _, name in ipairs(game.fonts or {}) do
    if type(name) ~= "string" or name:find(",", 1, true) then
      fail_field("fonts", "fonts must be a list of file names without commas, got %s: use { \"arabic.ttf\" }",
        report.describe(name))
    end
  end
  for _, name in ipairs(game.plugins or {}) do
    if type(name) ~= "string" or not name:match("^[%a_][%w_]*$") then
      fail_field("plugins", "plugins must be a list of plugin names, got %s: use { \"physics\" }",
        report.describe(name))
    end
  end
end

---@class engine.GameConfig
---@field title string
---@field id string identifies the game's saves; "" if the name of the folder identifies them
---@field version string shown by packages; "" if game.lua sets no version
---@field width integer width of the logical screen in pixels
---@field height integer
---@field tick_rate integer ticks per second
---@field history integer size limit of the history in megabytes
---@field history_is_set boolean true if game.lua sets `history`
---@field autosave integer seconds between autosaves; 0: no autosaves
---@field dead_zone number dead zone of gamepad sticks
---@field fonts string file names, separated by commas
---@field sharp boolean true if images keep hard pixel edges
---@field window_width integer width of the window in pixels; 0: the logical width
---@field window_height integer 0: the logical height
---@field scale integer value of letterbox_mode_t
---@field fullscreen boolean
---@field resizable boolean
---@field vsync boolean
---@field run_in_background boolean
---@field expand_in_match boolean
---@field icon string name of an image asset; "": no icon
---@field min_players integer 0: the game declares no players
---@field max_players integer maximum of a player's number; 0: the game declares no players
---@field rewind boolean true if players may rewind
---@field clips boolean true if players may save clips
---@field rooms engine.ServedRoom[] rooms of a served world, sorted by name
---@field chronicle engine.KeptEvent[] events that a served world keeps, sorted by name
---@field reads_pointers boolean true if the code may read the players' pointers (load/pointer_use.lua)

-- Returns the maximum of a player's number. A room of a served world may have more players than a match.
---@param maximum integer maximum number of players in a match
---@param rooms engine.ServedRoom[]
---@return integer
local function find_max_player(maximum, rooms)
  for _, kind in ipairs(native.is_served and rooms or {}) do maximum = math.max(maximum, kind.players) end
  return maximum
end

-- Returns the fields of game.lua that C reads. The defaults are GAME_DEFAULTS in script/game_config.c.
local function create_config(game)
  local defaults, window = native.game_defaults, game.window or {}
  local player_range = game.multiplayer and game.multiplayer.players or { 0, 0 }
  local rooms = game.serve and served_rooms.list(game.serve, player_range[2]) or {}
  return { title = game.title or defaults.title, id = game.id or "", version = game.version or "",
    width = game.width or defaults.width, height = game.height or defaults.height,
    tick_rate = game.tick_rate or defaults.tick_rate, history = game.history or defaults.history,
    history_is_set = game.history ~= nil, autosave = game.autosave or 0,
    dead_zone = game.dead_zone or defaults.dead_zone, fonts = table.concat(game.fonts or {}, ","),
    sharp = window.filter == "pixels", window_width = window.width or 0, window_height = window.height or 0,
    scale = M.SCALES[window.scale or "fit"], fullscreen = window.fullscreen == true,
    resizable = window.resizable ~= false, vsync = window.vsync ~= false, icon = window.icon or "",
    min_players = player_range[1], max_players = find_max_player(player_range[2], rooms), reads_pointers = false,
    run_in_background = window.run_in_background == true, expand_in_match = window.expand_in_match == true,
    rewind = game.rewind ~= false, clips = game.clips ~= false,
    rooms = rooms, needs_invite = game.serve ~= nil and game.serve.accounts == "invite",
    chronicle = game.chronicle and chronicle_settings.list(game.chronicle) or {} }
end

local function fail_chronicle(names, ...)
  fail("game.lua", report.find_line(read_source("game.lua"), "chronicle", unpack(names)), ...)
end

local function load_game()
  if not has_file("game.lua") then
    fail("game.lua", 0, "the folder %s has no game.lua", FOLDER)
  end
  local text = read_source("game.lua")
  local game = compile_file("game.lua", text)()
  roots[#roots + 1] = { game, "game.lua" }
  local function fail_field(key, format, ...)
    fail("game.lua", report.find_line(text, key), format, ...)
  end
  if type(game) ~= "table" then
    fail("game.lua", 1, "game.lua must return a table: return { title = \"My game\" }")
  end
  game = value.copy_declared(game, GAME_KEYS)
  check_game_fields(game, fail_field)
  check_game_numbers(game, fail_field)
  check_window(game.window or {}, fail_field)
  if game.multiplayer then
    check_multiplayer(game.multiplayer, fail_field)
  end
  if game.serve then
    served_rooms.check(game.serve, game.multiplayer ~= nil, function(names, ...)
      fail("game.lua", report.find_line(text, "serve", unpack(names)), ...)
    end)
  end
  if game.chronicle then
    chronicle_settings.check(game.chronicle, game.serve ~= nil, fail_chronicle)
  end
  audio.declare_buses(game.buses or {}, fail_field)
  local budget = game.budget or {}
  abi.C.vm_set_budgets(abi.vm, budget.system or -1, budget.start or -1, budget.load or -1)
  if budget.sql then
    abi.C.vm_set_sql_steps(abi.vm, budget.sql)
  end
  check_game_names(game, fail_field)
  state.game, state.config, state.tests = game, create_config(game), game.tests == true
  addons.open(game.addons or {}, game.layers or {}, run_file, fail_field)
  presets.scale_to_height(state.config.height)
  plugins.open(abi.match_menu and {} or addons.list_plugins(game.plugins or {}))
  cockpit.add_plugins(plugins.list)
end

-- Renames one of Shoal's components to shoal.NAME, because the game declares a component of the same name. Returns
-- false if Shoal's component must keep its name.
local function rename_builtin(name)
  local component = components.by_name[name]
  if not component.schema or not component.schema.can_be_replaced then
    return components.release_name(name)
  end
  for i, existing in ipairs(M.declared) do
    if existing == component.schema then
      M.declared[i] = schema.define("shoal." .. name, component.kind, existing.given)
      components.add_declared(M.declared[i]).builtin = true
      components.by_name[name] = nil
      log.info("the game declares its own component %s: Shoal's %s is named shoal.%s in this game", name, name, name)
      return true
    end
  end
  return false
end

-- Fails if another component has this name, unless that component is one of Shoal's and can be renamed. `plain_name`:
-- the name in the file.
local function check_component_name(name, source, line, plain_name)
  local component = components.by_name[name]
  addons.check_component_name(plain_name, source.addon, function(format, ...)
    fail(source.file, line, format, ...)
  end)
  if components.metadata[name] and not component then
    fail(source.file, line, "the component %s is already declared by %s: choose a different name", name,
      components.metadata[name].at.file)
  elseif component and (component.schema and not component.builtin or not rename_builtin(name)) then
    fail(source.file, line, "the component %s is already declared by %s: choose a different name", name,
      component.plugin and "the plugin " .. component.plugin or component.builtin and "Shoal"
        or component.schema and component.schema.at.file)
  end
end

-- Declares the names of the add-ons' behaviours, which are components and systems.
local function declare_behaviour_names()
  for _, addon in ipairs(scope.list) do
    for _, file in ipairs(native.sources(addon.root .. "behaviours")) do
      scope.declare(addon, "component", behaviour.get_name(file))
      scope.declare(addon, "system", behaviour.get_name(file))
    end
  end
end

-- Checks that no file declares a component that NAME = false removes.
local function check_removed(removed)
  for _, name in ipairs(sorted_keys(removed)) do
    local component, place = components.by_name[name], removed[name]
    if component then
      fail(place.file, place.line, "%s = false removes the component %s, but %s declares it: remove one of the two",
        name, name, component.schema and component.schema.at and component.schema.at.file or "Shoal")
    end
  end
  renames.removed = sorted_keys(removed)
end

local function load_components()
  local removed = {}
  declare_behaviour_names()
  visit_entries("components", "component", function(name, declaration, source, plain_name)
    if declaration == false then
      removed[name] = { file = source.file, line = report.find_line(source.text, name) }
      return
    end
    check_component_name(name, source, report.find_line(source.text, name), plain_name)
    local read_schema = schema.read(name, declaration, "component", source)
    if read_schema.kind == "metadata" then
      components.metadata[name] = read_schema
      read_schema.kind, read_schema.loaded = "component", native.metadata
      if not native.metadata then
        return
      end
    end
    components.add_declared(read_schema)
    M.declared[#M.declared + 1] = read_schema
  end)
  check_removed(removed)
end

local function load_settings()
  local declaration, source, addon_settings = nil, { file = "game.lua", text = native.source("game.lua") or "" }, {}
  for _, addon in ipairs(scope.list) do
    if has_file(addon.root .. "settings.lua") then
      addon_settings[#addon_settings + 1] = { run_file(addon.root .. "settings.lua") }
    end
  end
  if has_file("settings.lua") then
    declaration, source = run_file("settings.lua")
    declaration = declaration == nil and {} or declaration
  end
  for _, read_schema in ipairs(settings.declare(declaration, source, addon_settings)) do
    M.declared[#M.declared + 1] = read_schema
  end
  local language = components.by_name.settings and components.by_name.settings.by_name.language
  game_strings.check_and_add_texts(language and language.choices, function(format, ...)
    fail(source.file, report.find_line(source.text, "language"), format, ...)
  end)
end

local function load_music()
  visit_roots(function(root)
    if has_file(root .. "music.lua") then
      music.read(run_file(root .. "music.lua"))
    end
  end)
  M.declared[#M.declared + 1] = music.declare()
end

local function load_shaders()
  visit_roots(function(root)
    if has_file(root .. "shaders.lua") then
      shaders.read(run_file(root .. "shaders.lua"))
    end
  end)
  for _, read_schema in ipairs(shaders.declare()) do
    M.declared[#M.declared + 1] = read_schema
  end
end

-- Declares the events of game/input_events.c, except shoal.window.
local function declare_input_events()
  local pad, key, x, y = { "pad", "i32" }, { "key", "string" }, { "x", "f32" }, { "y", "f32" }
  local mouse = { { "button", "string" }, x, y }
  local fields = {
    key_pressed = { key }, key_released = { key },
    pad_pressed = { pad, { "button", "string" } }, pad_released = { pad, { "button", "string" } },
    pad_connected = { pad }, pad_disconnected = { pad },
    mouse_pressed = mouse, mouse_released = mouse, mouse_wheel = { { "notches", "f32" }, x, y },
    fullscreen_changed = { { "on", "bool" } },
  }
  for _, name in ipairs(sorted_keys(fields)) do
    event.add_declared(schema.define(name, "event", fields[name]), { name })
  end
  -- Both events are declared if a system handles either, because host/game/input_events.c compares their counts to
  -- determine whether the game was paused.
  for _, name in ipairs { "paused", "resumed" } do
    event.add_declared(schema.define(name, "event", {}), { "paused", "resumed" })
  end
end

local function declare_engine_components()
  local scene_schema = schema.define("shoal.scene", "single", { { "current", "string" }, { "wanted", "string" } })
  M.declared[#M.declared + 1] = scene_schema
  components.add_declared(scene_schema)
  local in_scene = schema.define("in_scene", "component", { { "name", "string" } })
  M.declared[#M.declared + 1] = in_scene
  components.add_declared(in_scene).builtin = true
  event.add_declared(schema.define("shoal.reload", "event",
    { { "files", "string" }, { "systems", "i32" }, { "fields", "i32" }, { "entities", "i32" } }), { "shoal.reload" })
  event.add_declared(schema.define("shoal.window", "event",
    { { "kind", "string" }, { "width", "i32" }, { "height", "i32" } }), { "shoal.window" })
  declare_input_events()
  M.declared[#M.declared + 1] = players.declare()
  M.declared[#M.declared + 1] = room.declare()
  M.declared[#M.declared + 1] = chronicle.declare()
  M.declared[#M.declared + 1] = owned.declare()
  -- collision/collision.c emits the next three events if a system handles one of these two:
  local collision_events = { "collision_began", "collision_ended" }
  event.add_declared(schema.define("shoal.contacts", "event", { { "a", "entity" }, { "b", "entity" } }),
    collision_events)
  event.add_declared(schema.define("collision_began", "event", { { "a", "entity" }, { "b", "entity" }, { "x", "f32" },
    { "y", "f32" }, { "nx", "f32" }, { "ny", "f32" }, { "depth", "f32" }, { "cancelled", "bool" } }), collision_events,
    true)
  event.add_declared(schema.define("collision_ended", "event", { { "a", "entity" }, { "b", "entity" },
    { "cancelled", "bool" } }), collision_events, true)
  event.add_declared(schema.define("tween_ended", "event", { { "entity", "entity" }, { "path", "string" } }),
    { "tween_ended" }) -- emitted by countdown/tween.c
  event.add_declared(schema.define("sequence_ended", "event", { { "entity", "entity" }, { "sequence", "string" } }),
    { "sequence_ended" })
  for _, sequence_schema in ipairs(sequence.schemas()) do
    M.declared[#M.declared + 1] = sequence_schema
  end
  event.add_declared(schema.define("animation_ended", "event", { { "entity", "entity" }, { "clip", "string" } }),
    { "animation_ended" }) -- emitted by animation/animation.c
  ui.declare_events()
  event.add_declared(schema.define("path_ended", "event", { { "entity", "entity" } }), { "path_ended" })
  event.add_declared(schema.define("crushed", "event", { { "entity", "entity" }, { "by", "entity" } }), { "crushed" })
end

local function load_events()
  visit_entries("events", "event", function(name, declaration, at)
    if event.by_name[name] and not event.by_name[name].can_be_replaced then
      fail(at.file, report.find_line(at.text, name), "the event %s is already declared by Shoal: choose a different "
        .. "name", name)
    elseif type(types.unwrap(declaration)) == "string" and types.unwrap(declaration) ~= "component" then
      fail(at.file, report.find_line(at.text, name), "the event %s must be a table of fields", name)
    end
    local read_schema = schema.read(name, declaration, "event", at)
    event.add_declared(read_schema)
  end)
  event.collect_former_names()
  chronicle_settings.check_events(state.game.chronicle or {}, fail_chronicle)
end

-- Metadata is not loaded into the world (except with --metadata), but its values are kept for error messages. Numbers,
-- strings and booleans are kept unchanged, and any other value as the name of its type, so that a message never runs
-- code of a script.
-- assemblage → { is = { … }, parts = { component → field → value } }, without assemblages that have neither
local metadata = {}

local function list_values(part, values)
  local out = {}
  local first_field = components.metadata[part].fields[1]
  for field, v in next, type(values) == "table" and values or { [first_field and first_field.name or ""] = values } do
    local kind = type(v)
    out[tostring(field)] = (kind == "number" or kind == "string" or kind == "boolean") and v or kind
  end
  return out
end

local function store_metadata(name, declaration)
  local entry = { is = {}, parts = {} }
  for _, parent in ipairs(type(declaration.is) == "table" and declaration.is or { declaration.is }) do
    entry.is[#entry.is + 1] = parent
  end
  for part, values in next, type(declaration.components) == "table" and declaration.components or {} do
    if components.metadata[part] then
      entry.parts[part] = list_values(part, values)
    end
  end
  metadata[name] = (next(entry.is) or next(entry.parts)) and entry or nil
end

-- Returns the metadata of an assemblage and its parents: component → field → value.
---@param name string
---@return table<string, table<string, any>> parts
function M.get_metadata(name)
  local out = {}
  local function add(assemblage_name, depth)
    local entry = metadata[assemblage_name]
    if not entry or depth > 32 then
      return
    end
    for _, parent in ipairs(entry.is) do
      add(parent, depth + 1)
    end
    for part, values in pairs(entry.parts) do
      out[part] = out[part] or {}
      for field, v in pairs(values) do
        out[part][field] = v
      end
    end
  end
  add(name, 0)
  return out
end

local function load_assemblages()
  local source = {}
  visit_entries("assemblages", "assemblage", function(name, declaration, at)
    if at.addon then
      full_names.assemblage(declaration, at.addon)
    end
    source[name] = { declaration = declaration, at = at }
  end)
  assemblage.resolve_all(source)
  for name, entry in pairs(source) do
    store_metadata(name, entry.declaration)
  end
end

-- Runs the files of one folder, in all add-ons and in the game, and calls visit(name, result, at) for each of them.
-- `kind`: what the files declare, such as "system"; `expand_names(result, addon)` replaces the names in an add-on's
-- result with their full names.
local function visit_files(folder, kind, expand_names, visit)
  visit_roots(function(root, addon)
    for _, name in ipairs(native.sources(root .. folder)) do
      scope.declare(addon, kind, (name:gsub("%.lua$", "")))
    end
  end)
  visit_roots(function(root, addon)
    for _, name in ipairs(native.sources(root .. folder)) do
      local result, at = run_file(root .. folder .. "/" .. name)
      if addon then
        expand_names(result, addon)
      end
      visit(scope.add_prefix(kind, (name:gsub("%.lua$", "")), addon), result, at)
    end
  end)
end

local function load_scene_file(file, addon)
  local name = scope.add_prefix("scene", file:match("scenes/(.*)%.%w+$"), addon)
  if scene.files[name] then
    fail(file, 1, "two scenes are named %s, one in Lua and one in JSON: delete one of the files", name)
  elseif file:find("%.json$") then
    scene.add_text(name, read_source(file), file)
  else
    local declaration, source = run_file(file)
    if addon then
      full_names.scene(declaration, addon)
    end
    scene.add(name, declaration, source)
  end
end

-- Fails if game.lua names a scene that does not exist. `...`: the names of the field, for report.find_line.
local function check_scene(name, ...)
  if name and not scene.files[name] then
    fail("game.lua", report.find_line(read_source("game.lua"), ...), "scenes/%s.lua or .json not found%s", name,
      report.hint(name, scene.files))
  end
end

local function load_scenes()
  visit_roots(function(root, addon)
    local files = native.sources(root .. "scenes")
    for _, file in ipairs(files) do
      scope.declare(addon, "scene", file:match("^(.*)%.%w+$"))
    end
    for _, file in ipairs(files) do
      load_scene_file(root .. "scenes/" .. file, addon)
    end
  end)
  check_scene(state.game.scene, "scene")
  for _, served in ipairs(state.config.rooms) do
    check_scene(served.scene ~= "" and served.scene, "serve", "rooms", served.name, "scene")
  end
end

local function load_behaviours()
  visit_files("behaviours", "behaviour", full_names.system, function(_, result, at)
    local plain_name = behaviour.get_name(at.file)
    local name = scope.add_prefix("component", plain_name, at.addon)
    check_component_name(name, at, 1, plain_name)
    M.declared[#M.declared + 1] = behaviour.add(name, result, at)
  end)
end

-- Checks and freezes all values that were loaded since the previous call (base/hidden_state.lua). Test suites are
-- exempt.
function M.freeze_loaded()
  cockpit.add_roots(roots)
  if not state.tests then
    hidden_state.check_and_freeze(roots, modules)
  end
  roots = {}
end

-- --- stray files

local FOLDERS = { "addons", "assemblages", "assets", "behaviours", "cockpit", "components", "events", "migrations",
  "plugins", "scenes", "sequences", "strings", "systems" }
local FILES = { "game.lua", "components.lua", "assemblages.lua", "events.lua", "input.lua", "settings.lua",
  "music.lua", "shaders.lua", "theme.lua", "cockpit.lua" }

local function is_among(name, list)
  for _, item in ipairs(list) do
    if item == name then
      return true
    end
  end
  return false
end

local ASSETS = { "png", "jpg", "jpeg", "ogg", "wav", "mp3", "flac", "ttf", "otf" }
local AS_FILE = { input = "input.lua", game = "game.lua" } -- parts that consist of a single file

-- Returns the file or folder that was probably intended by a stray file (nil if none is likely), and the file or folder
-- that the warning must name.
local function find_intended_part(file)
  local folder, extension = file:match("^([^/]+)/"), (file:match("%.(%w+)$") or ""):lower()
  if not folder then
    local part = file:match("^(%w+)%.lua$")
    local nearest = is_among(part, FOLDERS) and part .. "/NAME.lua" or report.find_nearest(file, FILES)
    return not is_among(file, FILES) and nearest, file
  elseif AS_FILE[folder] and extension == "lua" then
    return AS_FILE[folder], folder
  elseif folder ~= "assets" and folder ~= "asset" and is_among(extension, ASSETS) then
    return "assets/" .. file:match("[^/]+$"), file
  elseif not is_among(folder, FOLDERS) then
    return report.find_nearest(folder, FOLDERS), folder
  elseif is_among(folder, { "systems", "behaviours", "sequences" }) and not file:find("%.lua$")
    and is_among(extension, { "lua", "txt" }) then
    return file:gsub("%.%w+$", "") .. ".lua", file
  end
end

-- Returns the set of files that any file of the game requires by a literal name, as in require("lib.move").
local function collect_required_files()
  local out = {}
  for _, file in ipairs(native.game_files()) do
    local source = file:find("%.lua$") and native.source(file) or ""
    scope.set(scope.find_addon_of_file(file))
    for name in source:gmatch("require%s*%(?%s*[\"']([%w_%-%./]+)[\"']") do
      local module = name:gsub("/", ".")
      for _, module_file in ipairs(list_module_files(module, (module:gsub("%.", "/")))) do
        out[module_file] = true
      end
    end
    scope.set(false)
  end
  return out
end

-- Warns about folders and files that are ignored although their names resemble names that games use. Skips
-- modules that have been required or may be required later.
local function warn_of_stray_files()
  local warned, required = {}, nil
  for _, file in ipairs(native.game_files()) do
    local addon = scope.find_addon_of_file(file)
    local root = addon and addon.root or ""
    local intended, subject = find_intended_part(file:sub(#root + 1))
    if intended and not warned[root .. subject] and not modules[file] then
      required = required or collect_required_files()
    end
    if intended and not warned[root .. subject] and not modules[file] and not required[file] then
      warned[root .. subject] = true
      native.log("warn", string.format("%s:1: %s is not loaded: did you mean %s?", file,
        root .. subject == file and "the file" or "the folder " .. subject, intended))
    end
  end
end

-- Reads the data files that the code names, so that an invalid file is reported at load time.
local function check_data()
  local sources = {}
  for _, file in ipairs(#native.sources("assets") > 0 and native.game_files() or {}) do
    local is_code = file:find("%.lua$") and not file:find("^assets/") and not file:find("^addons/")
    sources[#sources + 1] = is_code and native.source(file) or nil
  end
  data.check(sources)
end

-- Files that do not compile, with the message of the parser. Contains only files that have not been required yet.
local invalid_files = {} ---@type table<string, string> file that does not compile → the compiler's message

-- Returns the main chunks and names of all Lua files of the game and its add-ons: files that have been run, and files
-- that may be required while the game runs, which are compiled but not run.
local function collect_chunks()
  local out, is_listed = {}, {}
  for _, item in ipairs(chunks) do
    out[#out + 1], is_listed[item[2]] = item, true
  end
  for _, name in ipairs(native.game_files()) do
    if not is_listed[name] and name:find("%.lua$") and has_file(name) then
      local chunk, problem = native.compile(name)
      out[#out + 1], invalid_files[name] = chunk and { chunk, name } or nil, not chunk and problem or nil
    end
  end
  return out
end

local function warn_of_invalid_files()
  for _, file in ipairs(sorted_keys(invalid_files)) do
    local message, line = report.split_syntax_error(invalid_files[file])
    declared_values.warn(file, line, message)
  end
end

-- Reads the data files that the code names, finds the systems whose code names a spatial query, and determines whether
-- the code may read the players' pointers.
local function analyse_code()
  local all_chunks = collect_chunks()
  check_data()
  searches.mark(system.list, all_chunks)
  state.config.reads_pointers = state.declares_players() and find_pointer_use(all_chunks)
end

local function load_input()
  if state.declares_players() then
    phases.restrict_for_players(false)
  end
  visit_roots(function(root, addon)
    if has_file(root .. "input.lua") then
      local declaration, at = run_file(root .. "input.lua")
      input.read(declaration, at, addon)
    end
  end)
  input.check_players(read_source)
  input.check_held()
  M.declared[#M.declared + 1] = input.declare(settings.is_declared())
  for _, options_schema in ipairs(options.declare()) do
    M.declared[#M.declared + 1] = options_schema
  end
  ui.scale_to_height(state.game.height)
  visit_roots(function(root)
    if has_file(root .. "theme.lua") then
      ui.read_theme(run_file(root .. "theme.lua"))
    end
  end)
end

local function load_cockpit()
  for _, file in ipairs(list_part_files("cockpit")) do
    run_file(file)
  end
end

local function warn_of_degrees()
  for _, item in ipairs(chunks) do
    for _, line in ipairs(advice.find_degrees(read_source(item[2]))) do
      native.log("warn", string.format("%s:%d: transform.angle is in radians, but math.deg returns degrees: assign the "
        .. "radians, or convert degrees with math.rad", item[2], line))
    end
  end
end

local function warn_of_mistakes()
  warn_of_stray_files()
  warn_of_invalid_files()
  literals.check(invalid_files)
  code_names.check(chunks)
  warn_of_old_names(chunks)
  warn_of_any_player(chunks)
  machine_fields.check(system.list, chunks)
  warn_of_degrees()
end

-- Loads the parts of the game that the match menu uses: settings, key bindings, strings and the theme.
function M.load_match_menu()
  load_game()
  state.game.start, state.game.scene = nil, nil
  game_strings.load(run_file, has_file)
  declare_engine_components()
  load_components() -- a component named settings replaces the settings
  load_settings()
  load_input()
  for _, component_schema in ipairs(match_menu.declare()) do
    M.declared[#M.declared + 1] = component_schema
  end
  options.add_system()
  match_menu.add_system()
  input.add_system()
  settings.add_system()
  scope.finish_loading()
  M.freeze_loaded()
end

function M.load()
  load_game()
  game_strings.load(run_file, has_file)
  declare_engine_components()
  load_components()
  load_settings()
  load_music()
  load_shaders()
  load_events()
  load_input()
  input.check_events()
  load_behaviours()
  renames.add_all(M.declared)
  requirements.check()
  load_assemblages()
  scene.add_system()
  visit_files("systems", "system", full_names.system, function(name, declaration, at)
    system.add(name, declaration, at)
  end)
  visit_files("sequences", "sequence", full_names.sequence, function(name, declaration, at)
    sequence.add(name, declaration, at)
  end)
  players.check_events(system.list)
  sequence.add_system()
  options.add_system()
  input.add_system()
  music.add_systems()
  settings.add_system()
  load_scenes()
  renames.raise_recorded_uses()
  load_cockpit()
  analyse_code()
  for _, name in ipairs { "bit", "coroutine", "math", "string", "table", "utf8" } do
    roots[#roots + 1] = { sandbox.env[name], "the library", name }
  end
  scope.finish_loading()
  M.freeze_loaded()
  if state.tests then
    log.warn("game.lua sets tests = true: "
      .. "values that functions of this game keep between ticks are not reported")
  end
  if not native.is_silent then
    warn_of_mistakes()
  end
end

return M

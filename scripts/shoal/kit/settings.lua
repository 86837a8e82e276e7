-- Settings: the declarations of settings.lua become the singleton `settings`; settings.music = 0.5 writes its field
-- `music`. A game with an id in game.lua always has this singleton, with Shoal's own settings for volumes and the
-- window. When a world starts, the settings are loaded from a file in the game's save folder through
-- time/external_input.h, so a replay gets the recorded values. Changes are written to the file at the end of the tick
-- (saves/game_saves.c). Key bindings chosen by the player (input.lua) are stored in the same file.
local need, native = ...
local abi = need("base/abi")
local json = need("base/json")
local log = need("base/log")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local text = need("base/string_table")
local access = need("kit/access")
local input = need("kit/input")
local game_strings = need("kit/game_strings")
local audio = need("media/audio")
local components = need("schema/component")
local schema = need("schema/schema")
local types = need("schema/types")
local value = need("schema/value")
local system = need("systems/system")

---@class engine.settings
---@field ranges table<string, { min?: number, max?: number }> declared ranges by setting
local M = { ranges = {} }
local FILE = "game.settings" -- name of the file without .json, which saves/game_saves.c adds
local LOCALES = "game.settings.locale" -- not a file: game/scene_files.c returns the system's locales for it
local FORMAT = 1
local NO_VALUES = { entity = "an entity cannot be a setting: entity ids differ from run to run",
  mat4 = "a matrix cannot be a setting" }
local ffi, C, W = abi.ffi, abi.C, abi.world
local at_file ---@type engine.At? nil: the game has no settings
local VOLUMES = { "master", "music", "effects" }
local SCALES = { [0] = "fit", "integer", "stretch", "expand" } -- names by letterbox_mode_t
local SCALE_NUMBERS = { fit = 0, integer = 1, stretch = 2, expand = 3 }

-- --- declaring

-- Returns the choices of the setting `scale`. `default`: the choice that becomes the default. Only games with the
-- default "expand" are expected to draw beyond the logical screen, so only they offer it.
local function list_scales(default)
  local out = { default }
  for i = 0, SCALE_NUMBERS.stretch do
    out[#out + 1] = SCALES[i] ~= default and SCALES[i] or nil
  end
  return out
end

-- Returns the fields with Shoal's own settings added: fullscreen, vsync and scale and, unless a field is the volume of
-- a sound bus, the volumes. Used for games with an id.
local function add_engine_settings(fields)
  local field_types, out, game = types.types, {}, state.game
  local window, has_volumes = game.window or {}, false
  for name, field_type in pairs(fields) do
    out[name] = field_type
    has_volumes = has_volumes or audio.is_bus(name)
  end
  for _, name in ipairs(has_volumes and {} or VOLUMES) do
    out[name] = field_types.f32(1, { min = 0, max = 1 })
  end
  for name, field_type in pairs { fullscreen = window.fullscreen or false, vsync = window.vsync ~= false,
    scale = field_types.enum(list_scales(window.scale or "fit")) } do
    if out[name] == nil then
      out[name] = field_type
    end
  end
  return out
end

-- Returns the fields with the setting `language` added if the game has several languages and does not declare that
-- setting.
local function add_language_field(fields)
  local languages, out = game_strings.languages, {}
  for name, field_type in pairs(fields) do
    out[name] = field_type
  end
  if #languages > 1 and out.language == nil then
    out.language = types.types.enum(languages)
  end
  return out
end

-- Returns a function fail(key, format, ...), which raises an error located in settings.lua.
local function create_fail(at)
  return function(key, format, ...)
    local source = at.of_field and at.of_field(key) or at
    report.fail { message = string.format(format, ...), file = source.file, piece = "settings",
      line = key and report.find_line(source.text, key) or 1 }
  end
end

local function check_table(declaration, fail)
  if type(declaration) ~= "table" or next(declaration) == nil then
    fail(nil, "the file must return a table of values: return { music = 1, best = 0 }")
  end
end

-- Adds the settings of an add-on to `fields` under their full names.
local function add_fields(fields, declaration, at)
  local fail = create_fail(at)
  check_table(declaration, fail)
  for _, name in ipairs(sorted_keys(declaration)) do
    if name == "renamed_from" or name == "migrate" then
      fail(name, "settings of an add-on cannot have %s: remove it; unknown settings are kept in the file", name)
    elseif type(name) ~= "string" or not name:find("^[%a_][%w_]*$") then
      fail(name, "a setting's name must consist of letters, digits and _, and not begin with a digit, got %s",
        report.show(name))
    end
    fields[at.addon.prefix .. name] = declaration[name]
    scope.declare(at.addon, "setting", name)
  end
end

-- Returns the settings of all add-ons by full name.
local function read_addons(list)
  local fields = {}
  for _, entry in ipairs(list) do
    add_fields(fields, entry[1], entry[2])
  end
  return fields
end

-- Returns the settings of the game and its add-ons. A value of the game under the full name of an add-on's setting
-- becomes the default of that setting.
local function merge_fields(fields, addon_fields, at)
  local out, fail = {}, create_fail { file = at.file, text = at.text }
  for name, field_type in pairs(addon_fields) do
    out[name] = field_type
  end
  for name, value_declared in pairs(fields) do
    local addon_field, addon = addon_fields[name], scope.by_name[name]
    if addon and addon.names.setting then
      fail(name, "the setting %s has the name of an add-on with settings: rename it", name)
    elseif addon_field == nil and type(name) == "string" and name:find(".", 1, true) then
      fail(name, "unknown setting %s%s", name, report.hint(name, addon_fields))
    elseif addon_field == nil or types.is_type(value_declared) then
      out[name] = value_declared
    else
      local ok, result = pcall(types.set_default, addon_field, value_declared)
      out[name] = ok and result or fail(name, "settings.%s: %s", name, report.get_message(result))
    end
  end
  return out
end

-- Returns all settings fields: fields of the game, of its add-ons, and of Shoal. Raises an error for an
-- invalid declaration.
local function list_fields(declaration, addon_fields, at)
  local has_id, fail = state.game.id ~= nil, create_fail(at)
  if declaration == nil then
    declaration = {}
  else
    check_table(declaration, fail)
  end
  local kind, fields = types.unwrap(declaration)
  if kind == "component" and fields.renamed_from == nil and fields.migrate ~= nil then
    fail("migrate", "settings cannot have migrate: remove it; unknown settings are kept in the file")
  elseif type(fields) ~= "table" then
    return fields
  end
  fields = merge_fields(fields, addon_fields, at)
  fields = add_language_field(has_id and add_engine_settings(fields) or fields)
  access.add(fields)
  return fields
end

-- Declares the settings. Returns their schemas. The list is empty for a game without settings.lua that has neither an
-- id, a second language nor add-ons with settings, or that declares a component `settings` itself.
---@param declaration any the value that settings.lua returned; nil if the game has no settings.lua
---@param at engine.At location of settings.lua; of game.lua if there is no settings.lua
---@param addons { [1]: any, [2]: engine.At }[] the values that the settings.lua files of add-ons returned, and their
---locations
---@return engine.Schema[]
function M.declare(declaration, at, addons)
  local has_engine_settings = state.game.id ~= nil or #game_strings.languages > 1 or #addons > 0
  if declaration == nil and (not has_engine_settings or components.by_name.settings) then
    return {}
  end
  function at.of_field(name)
    local addon = type(name) == "string" and scope.split_name(name)
    for _, entry in ipairs(addons) do
      if entry[2].addon == addon then
        return entry[2]
      end
    end
  end
  local fields, fail = list_fields(declaration, read_addons(addons), at), create_fail(at)
  local settings_schema = schema.read("settings", types.types.single(fields), "settings", at)
  for _, field in ipairs(settings_schema.fields) do
    if NO_VALUES[field.type] then
      fail(field.name, "settings.%s: %s", field.name, NO_VALUES[field.type])
    end
  end
  at_file = at
  for _, field in ipairs(settings_schema.ranges) do
    M.ranges[field.name] = field
  end
  local unknown_schema = schema.define("shoal.settings", "single", { { "unknown", "string" } })
  components.add_declared(settings_schema).builtin = true
  components.add_declared(unknown_schema).builtin = true
  return { settings_schema, unknown_schema }
end

---@return boolean
function M.is_declared()
  return at_file ~= nil
end

-- --- values of the machine

local MACHINE_SETTINGS = 1 -- equal to UI_MACHINE_SETTINGS in C
local machine_fields = {} ---@type table<string, boolean> set of the settings that belong to the machine
local is_window_setting

-- Makes settings belong to the machine, so that they are neither part of the world's hash nor changed by a restore.
-- These are the accessibility settings and, in a game that declares players, the language, the volumes and the window
-- settings.
function M.keep_on_machine()
  for _, field in ipairs(at_file and components.by_name.settings.fields or {}) do
    local name, has_players = field.name, state.declares_players()
    local is_volume = audio.is_bus(name) and (field.type == "f32" or field.type == "f64")
    local is_of_window = (name == "fullscreen" or name == "vsync" or name == "scale") and is_window_setting(field)
    local is_language = name == "language" and field.type == "enum"
    if access.is_added(name) or has_players and (is_volume or is_of_window or is_language) then
      machine_fields[name] = true
      C.world_keep_on_machine(W, "settings", name)
    end
  end
end

-- Returns true if the setting belongs to the machine.
---@param name string
---@return boolean
function M.is_of_machine(name)
  return machine_fields[name] == true
end

-- Returns the values of the settings file that the game does not declare, as JSON.
local function get_unknown()
  return state.declares_players() and ffi.string(C.ui_machine_text(W, MACHINE_SETTINGS))
    or components.single["shoal.settings"].unknown
end

local function set_unknown(encoded)
  if state.declares_players() then
    C.ui_set_machine_text(W, MACHINE_SETTINGS, encoded)
  else
    components.single["shoal.settings"].unknown = encoded
  end
end

-- --- conversion from and to JSON

local function get_row()
  return components.single.settings
end

local function shorten_f32(v, kind)
  if kind == "f32" then
    return json.round_to_shortest_f32(v)
  end
  return v
end

local function is_finite(v)
  return type(v) ~= "number" or v - v == 0
end

-- Returns all values to write to the file, by name, including values from the file that the game does not declare. NaN
-- and infinities are omitted, or 0 in a vector.
local function collect_values()
  local component = components.by_name.settings
  local out = {}
  local unknown = get_unknown()
  for name, v in pairs(unknown ~= "" and json.decode(unknown) or {}) do
    out[name] = v
  end
  for _, item in ipairs(component.writable) do
    if item.field then
      local v = component.get_row[item.field.name](0)
      -- is_finite returns true for all values that are not numbers.
      if is_finite(v) and not access.is_default(item.field.name, v) then
        out[item.field.name] = shorten_f32(v, item.field.type)
      end
    else
      local list = {}
      for i, part in ipairs(item.parts) do
        local v = component.get_row[part.name](0)
        list[i] = is_finite(v) and shorten_f32(v, part.type) or 0
      end
      out[item.base] = list
    end
  end
  return out
end

local function format_file()
  return json.encode { format = FORMAT, settings = collect_values(), bindings = input.get_chosen_bindings() } .. "\n"
end

-- --- the settings file

local function log_warning(format, ...)
  if not native.is_silent then
    log.warn("settings: " .. format, ...)
  end
end

-- Parses the file. Returns its settings by name, and its bindings; nil and a message if the file is invalid.
local function parse_file(encoded)
  local ok, file = native.json_decode(encoded)
  if not ok or type(file) ~= "table" or type(file.settings) ~= "table" or type(file.format) ~= "number" then
    return nil, string.format("%s.json is damaged%s", FILE, not ok and " (" .. tostring(file) .. ")" or "")
  elseif file.format > FORMAT then
    return nil, string.format("%s.json was written by a later version of Shoal", FILE)
  end
  return file.settings, file.bindings
end

-- Sets the game's settings to the values of the same names. Returns the values for which the game has no setting.
local function set_values(values)
  local component, unknown = components.by_name.settings, {}
  for _, name in ipairs(sorted_keys(values)) do
    local v = values[name]
    if not component.by_name[name] and not component.vectors[name] then
      unknown[tostring(name)] = v
    else
      local ok, problem = pcall(value.check, component, { [name] = v })
      local range = ok and type(v) == "number" and M.ranges[name]
      if range and (v < (range.min or v) or v > (range.max or v)) then
        log_warning("settings.%s must be from %s to %s, got %s: using the default", name, range.min or "-∞",
          range.max or "∞", v)
      elseif ok then
        get_row()[name] = v
      else
        log_warning("%s: using the default", report.get_message(problem))
      end
    end
  end
  return unknown
end

local function apply_settings(values, bindings)
  input.choose(bindings, log_warning)
  local unknown = set_values(values)
  set_unknown(next(unknown) ~= nil and json.encode(unknown) or "")
end

local last_values -- raw values of the fields when the file was last written or read; nil if unknown
local last_bindings

-- Returns true if a setting or a key binding has changed since the last call, comparing raw column values with
-- `last_values` and `last_bindings`. Updates both.
local function has_changed()
  local component, bindings = components.by_name.settings, input.format_chosen_bindings()
  local is_changed, known_values = last_values == nil or bindings ~= last_bindings, last_values or {}
  for _, field in ipairs(component.fields) do
    local v = component.get_row[field.name](0)
    if known_values[field.name] ~= v and (v == v or known_values[field.name] == known_values[field.name]) then
      is_changed, known_values[field.name] = true, v
    end
  end
  last_values, last_bindings = known_values, bindings
  return is_changed
end

-- Selects the language of the operating system if the game has that language and `file_settings` does not contain a
-- language. The system's locales are recorded as external input.
local function choose_language(file_settings)
  local field = components.by_name.settings.by_name.language
  if field and #game_strings.languages > 1 and not (file_settings and file_settings.language) then
    local language = game_strings.choose_language_of_locales(native.scene_fetch(LOCALES) or "")
    if language and pcall(value.check, components.by_name.settings, { language = language }) then
      get_row().language = language
    end
  end
end

-- Sets the language of a match's lobby to the language of its game, or to English if Shoal has no strings in that
-- language.
local function choose_language_of_lobby()
  local language = native.lobby and native.lobby.language
  if language then
    get_row().language = game_strings.choose_language_of_locales(language) or "en"
  end
end

local load_file

-- Loads the settings when a world starts, before any of the game's code runs.
function M.load()
  if at_file then
    load_file()
    choose_language_of_lobby()
  end
end

function load_file()
  local encoded, problem = native.scene_fetch(FILE)
  if not encoded then
    if not tostring(problem):find("not found among the saves", 1, true) then -- no message if there is no file yet
      log_warning("%s: using the defaults", problem)
    end
    choose_language()
    -- Stores the current values in `last_values`, so that the file is written only when one of them changes.
    has_changed()
    return
  end
  local file_settings, bindings_or_message = parse_file(encoded)
  choose_language(file_settings)
  if file_settings then
    apply_settings(file_settings, bindings_or_message)
    return
  end
  log_warning("%s: using the defaults; the file is kept as %s.kept.json", bindings_or_message, FILE)
  native.scene_keep(FILE .. ".kept", encoded)
end

-- Returns the current settings and key bindings in the format of the file; "" if the game has no settings. They belong
-- to the player: they keep their values when a save or an earlier tick replaces the world.
---@return string
function M.copy()
  return at_file and format_file() or ""
end

-- Applies settings and key bindings from M.copy to the world. Returns true if this changed the world.
---@param copy string
---@return boolean
function M.apply(copy)
  text.refresh()
  if not at_file or copy == "" or copy == format_file() then
    return false
  end
  local values, bindings = parse_file(copy)
  if not values then
    return false
  end
  apply_settings(values, bindings or {})
  return true
end

-- Applies the settings that belong to the machine, and the key bindings, from M.copy of another VM to the world.
---@param copy string
function M.apply_of_machine(copy)
  text.refresh()
  local values, bindings = parse_file(copy)
  if not at_file or not values then
    return
  end
  local machine_values = {}
  for name in pairs(machine_fields) do
    machine_values[name] = values[name]
  end
  input.choose(bindings or {}, log_warning)
  set_values(machine_values)
end

-- Returns true if the setting is an enum with this choice. Not all games have the scale "expand".
local function is_choice(name, v)
  local field = components.by_name.settings.by_name[name]
  for _, choice in ipairs(field and field.choices or {}) do
    if choice == v then return true end
  end
  return false
end

-- Applies the settings that belong to the machine to the world: window, accessibility and, if `has_volumes`, volumes.
-- `copy`: result of M.copy in a different game's VM, whose settings may differ. Volumes are clamped to their ranges.
---@param copy string
---@param has_volumes boolean
function M.apply_of_other_game(copy, has_volumes)
  text.refresh()
  local values = parse_file(copy)
  if not at_file or not values then
    return
  end
  local shared_values = {}
  for name in pairs(machine_fields) do
    local v, range = values[name], M.ranges[name]
    if name == "fullscreen" or name == "vsync" or name == "scale" and is_choice(name, v) then
      shared_values[name] = v
    elseif access.is_added(name) then
      shared_values[name] = v
    elseif name ~= "language" and type(v) == "number" and has_volumes then
      shared_values[name] = math.max(range and range.min or v, math.min(range and range.max or v, v))
    end
  end
  set_values(shared_values)
end

-- --- synchronization with the window

-- Returns true if the field can be synchronized with the window: a bool, or an enum of window scales. Otherwise it is a
-- setting of the game that happens to have the same name.
function is_window_setting(field)
  if field == nil or field.type ~= "enum" then
    return field ~= nil and field.type == "bool"
  end
  for _, choice in ipairs(field.choices) do
    if not SCALE_NUMBERS[choice] then
      return false
    end
  end
  return true
end

local REQUEST = {} -- setting → function that requests that the window use a value of the setting

function REQUEST.fullscreen(is_enabled)
  abi.requests.fullscreen = is_enabled and 1 or -1
end

function REQUEST.vsync(is_enabled)
  abi.requests.vsync = is_enabled and 1 or -1
end

function REQUEST.scale(name)
  abi.requests.scale = SCALE_NUMBERS[name] + 1
end

-- Synchronizes one setting with the window: if the window has changed, copies its state to the setting; otherwise
-- requests that the window follow the setting. `current` and `previous`: state of the window in this input sample and
-- in the previous one; `previous` is nil in the first sample.
local function sync_with_window(name, current, previous)
  if not is_window_setting(components.by_name.settings.by_name[name]) or get_row()[name] == current then
    return
  elseif previous ~= nil and current ~= previous then
    get_row()[name] = current
  else
    REQUEST[name](get_row()[name])
  end
end

-- Synchronizes the settings fullscreen, vsync and scale with the window, whose state F11 and functions such as
-- window.scale also change.
local function sync_window_settings()
  local input_state, previous_input = abi.input, abi.input_before
  if input_state.window.width == 0 then
    return
  end
  local previous_state = previous_input.window.width ~= 0 and previous_input or nil
  sync_with_window("fullscreen", input_state.window.fullscreen ~= 0, previous_state
    and previous_state.window.fullscreen ~= 0)
  sync_with_window("vsync", input_state.tearing == 0, previous_state and previous_state.tearing == 0)
  sync_with_window("scale", SCALES[input_state.scale], previous_state and SCALES[previous_state.scale])
end

-- Synchronizes the settings with the window, and writes the file if a setting has changed. Runs every tick, and every
-- frame while the game is paused.
local function sync_and_write()
  sync_window_settings()
  if has_changed() then
    native.scene_keep(FILE, format_file())
  end
end

-- Marks the contents of the settings file as unknown, so that the settings are compared and written again. Called when
-- the world was replaced, and before a tick runs again.
function M.forget_written()
  last_values = nil
end

function M.add_system()
  if at_file then
    local source = { file = "[shoal]/kit/settings.lua", text = "" }
    system.add("shoal.settings", { phase = "post_update", priority = 2 ^ 30, update = sync_and_write }, source)
    system.add("shoal.settings.paused", { phase = "input", priority = 2 ^ 30, update = function()
      input.step()
      sync_and_write()
    end }, source)
    text.add_change_listener(M.forget_written)
  end
end

-- --- script API

local function get_single()
  phases.check("settings")
  if not at_file then
    report.raise("settings: the game has no settings.lua and no id in game.lua: create settings.lua, return { "
      .. "music = 1, best = 0 }")
  end
  return get_row()
end

M.api = setmetatable({}, {
  __index = function(_, name)
    local row = get_single()
    name = scope.name("setting", name)
    if machine_fields[name] and phases.is_simulating() then
      report.raise("settings.%s differs between machines, so the simulation cannot read it: use it in a system in "
        .. "phase \"render\"", name)
    end
    local v = row[name]
    return v
  end,
  __newindex = function(_, name, v)
    get_single()[scope.name("setting", name)] = v
  end,
  __metatable = false,
})
report.tables[M.api] = "settings"

return M

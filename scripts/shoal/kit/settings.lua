-- Settings: what settings.lua declares is the single `settings`, and settings.music = 0.5 writes it. A game with an id
-- in game.lua has it as well, and Shoal's own settings in it: volumes and the window. When a world begins, it is filled
-- from a file in the game's folder of saves, which is read through time/external_input.h: a replay hears what was read
-- then. When it has changed, the file is written when the tick ends; by the run that lives alone
-- (engine/saves/game_saves.c). The keys that a player has chosen (input.lua) are in the same file.
local need, native = ...
local abi = need("base/abi")
local json = need("base/json")
local log = need("base/log")
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")
local state = need("base/state")
local text = need("base/text")
local input = need("kit/input")
local game_strings = need("kit/game_strings")
local audio = need("media/audio")
local component = need("schema/component")
local schema = need("schema/schema")
local types = need("schema/types")
local value = need("schema/value")
local system = need("systems/system")
local C, W = abi.C, abi.world

---@class engine.settings
---@field ranges table<string, { min?: number, max?: number }> as declared
local M = { ranges = {} }
local FILE = "game.settings" -- .json; engine/saves/game_saves.c knows the name
local LOCALES = "game.settings.locale" -- no file: engine/game/scene_files.c
local FORMAT = 1
local NO_VALUES = { entity = "an entity is another one in the next run", mat4 = "a matrix is no setting" }
local at_file ---@type engine.At? nil: the game has none
local VOLUMES = { "master", "music", "effects" }
local SCALES = { [0] = "fit", "integer", "stretch" } -- letterbox_mode_t

-- --- declaring

-- How the window begins, the first of the words being the default.
local function scales(first)
  local out = { first }
  for i = 0, 2 do
    out[#out + 1] = SCALES[i] ~= first and SCALES[i] or nil
  end
  return out
end

-- A game with an id has Shoal's own settings beside its own: the window's, and volumes where it declares none.
local function with_own(fields)
  local t, out, game = types.types, {}, state.game
  local window, is_heard = game.window or {}, false
  for name, declared in pairs(fields) do
    out[name] = declared
    is_heard = is_heard or audio.is_bus(name)
  end
  for _, name in ipairs(is_heard and {} or VOLUMES) do
    out[name] = t.f32(1, { min = 0, max = 1 })
  end
  for name, own in pairs { fullscreen = window.fullscreen or false, vsync = window.vsync ~= false,
    scale = t.enum(scales(window.scale or "fit")) } do
    if out[name] == nil then
      out[name] = own
    end
  end
  return out
end

-- One with several languages has `language`.
local function with_language(fields)
  local languages, out = game_strings.languages, {}
  for name, declared in pairs(fields) do
    out[name] = declared
  end
  if #languages > 1 and out.language == nil then
    out.language = types.types.enum(languages)
  end
  return out
end

-- → the schemas; of a game with neither settings.lua nor an id nor several languages none.
---@param declaration any what settings.lua returns; nil for a game without one
---@param at engine.At of game.lua then
---@return engine.Schema[]
function M.declare(declaration, at)
  local has_id = state.game.id ~= nil
  local has_own = has_id or #game_strings.languages > 1
  if declaration == nil and (not has_own or component.by_name.settings) then -- the game's own component stays
    return {}
  end
  local function fail(key, words, ...)
    report.fail { message = string.format(words, ...), file = at.file, piece = "settings",
      line = key and report.line_of(at.text, key) or 1 }
  end
  if declaration == nil then
    declaration = with_language(has_id and with_own {} or {})
  end
  if type(declaration) ~= "table" or next(declaration) == nil then
    fail(nil, "the file must return a table of values: return { music = 1, best = 0 }")
  end
  local kind, fields = types.unwrap(declaration)
  if kind == "component" and fields.renamed_from == nil and fields.migrate ~= nil then
    fail("migrate", "settings have no migrate: names that are not known are kept in the file")
  end
  local all = has_id and type(fields) == "table" and with_own(fields) or fields
  all = type(all) == "table" and with_language(all) or all
  local own = schema.read("settings", types.types.single(all), "settings", at)
  for _, field in ipairs(own.fields) do
    if NO_VALUES[field.type] then
      fail(field.name, "settings.%s: %s", field.name, NO_VALUES[field.type])
    end
  end
  at_file = at
  for _, field in ipairs(own.ranges) do
    M.ranges[field.name] = field
  end
  local kept = schema.own("shoal.settings", "single", { { "unknown", "string" } })
  component.add_declared(own).builtin = true
  component.add_declared(kept).builtin = true
  return { own, kept }
end

---@return boolean
function M.is_there()
  return at_file ~= nil
end

-- --- as JSON

local function single()
  return component.single.settings
end

local function plain(v, kind)
  if kind == "f32" then
    return json.shortest_f32(v)
  end
  return v
end

local function is_finite(v)
  return type(v) ~= "number" or v - v == 0
end

-- All values by name, beside those of the file that the game does not know.
local function values()
  local known = component.by_name.settings
  local out = {}
  local unknown = component.single["shoal.settings"].unknown
  for name, v in pairs(unknown ~= "" and json.decode(unknown) or {}) do
    out[name] = v
  end
  for _, item in ipairs(known.writable) do
    if item.field then
      local v = known.get_row[item.field.name](0)
      if is_finite(v) then -- false is a value as well
        out[item.field.name] = plain(v, item.field.type)
      end
    else
      local list = {}
      for i, part in ipairs(item.parts) do
        local v = known.get_row[part.name](0)
        list[i] = is_finite(v) and plain(v, part.type) or 0
      end
      out[item.base] = list
    end
  end
  return out
end

local function text_of()
  return json.encode { format = FORMAT, settings = values(), bindings = input.chosen() } .. "\n"
end

-- --- the file

local function say(words, ...)
  if not native.is_silent then
    log.warn("settings: " .. words, ...)
  end
end

-- What is in the file by name; nil when nothing of it can be used.
local function read(written)
  local good, t = native.json_decode(written)
  if not good or type(t) ~= "table" or type(t.settings) ~= "table" or type(t.format) ~= "number" then
    return nil, string.format("%s.json is damaged%s", FILE, not good and " (" .. tostring(t) .. ")" or "")
  elseif t.format > FORMAT then
    return nil, string.format("%s.json was written by a later version of Shoal", FILE)
  end
  return t.settings, t.bindings
end

local function apply(found, bindings)
  input.choose(bindings, say)
  local known, unknown = component.by_name.settings, {}
  for _, name in ipairs(sorted_keys(found)) do
    local v = found[name]
    if not known.by_name[name] and not known.vectors[name] then
      unknown[tostring(name)] = v
    else
      local good, problem = pcall(value.check, known, { [name] = v })
      local range = good and type(v) == "number" and M.ranges[name]
      if range and (v < (range.min or v) or v > (range.max or v)) then
        say("settings.%s is %s, and goes from %s to %s: the default stays", name, v, range.min or "-∞",
          range.max or "∞")
      elseif good then
        single()[name] = v
      else
        say("%s: the default stays", report.words(problem))
      end
    end
  end
  component.single["shoal.settings"].unknown = next(unknown) ~= nil and json.encode(unknown) or ""
end

local held, held_keys -- what stays as it is when a save is loaded next: they are the player's, not the save's
local held_at -- the tick
local last -- the fields as they were written or read last; nil: not known
local last_keys

-- The raw values of all columns, and whether one of them is another than last time.
local function has_changed()
  local known, keys = component.by_name.settings, input.text()
  local changed, now = last == nil or keys ~= last_keys, last or {}
  for _, field in ipairs(known.fields) do
    local v = known.get_row[field.name](0)
    if now[field.name] ~= v and (v == v or now[field.name] == now[field.name]) then
      changed, now[field.name] = true, v
    end
  end
  last, last_keys = now, keys
  return changed
end

-- A player who has not chosen a language yet has that of the system, where the game knows it: part of the recording.
local function choose_language(found)
  local field = component.by_name.settings.by_name.language
  if field and #game_strings.languages > 1 and not (found and found.language) then
    local wanted = game_strings.from_locales(native.scene_fetch(LOCALES) or "")
    if wanted and pcall(value.check, component.by_name.settings, { language = wanted }) then
      single().language = wanted
    end
  end
end

-- A world begins: before anything of the game runs.
function M.fill()
  if not at_file then
    return
  end
  local written, problem = native.scene_fetch(FILE)
  if not written then
    if not tostring(problem):find("^there is no ") then
      say("%s: the defaults are used", problem)
    end
    choose_language()
    has_changed() -- nothing is written until something does
    return
  end
  local found, rest = read(written)
  choose_language(found)
  if found then
    apply(found, rest)
    return
  end
  say("%s: the defaults are used, and the file is kept as %s.kept.json", rest, FILE)
  native.scene_keep(FILE .. ".kept", written)
end

-- A save is going to be loaded, or may be: a world has just begun.
function M.hold()
  if at_file then
    held, held_keys, held_at = values(), input.chosen(), C.view_tick(W)
  end
end

-- --- the window

-- Is a setting of this name one of the window's? Any other that is called so is the game's.
local function is_windows(field)
  if field == nil or field.type ~= "enum" then
    return field ~= nil and field.type == "bool"
  end
  for _, choice in ipairs(field.choices) do
    if choice ~= "fit" and choice ~= "integer" and choice ~= "stretch" then
      return false
    end
  end
  return true
end

local ASK = {} -- for the window to be as a setting says

function ASK.fullscreen(on)
  abi.requests.fullscreen = on and 1 or -1
end

function ASK.vsync(on)
  abi.requests.vsync = on and 1 or -1
end

function ASK.scale(wanted)
  for i = 0, 2 do
    abi.requests.scale = SCALES[i] == wanted and i + 1 or abi.requests.scale
  end
end

-- is, was: how the window is, and how it was one sample before; was is nil in the first.
local function follow(name, is, was)
  if not is_windows(component.by_name.settings.by_name[name]) or single()[name] == is then
    return
  elseif was ~= nil and is ~= was then
    single()[name] = is
  else
    ASK[name](single()[name])
  end
end

-- The settings fullscreen, vsync and scale are the window's. What else changes the window, F11 or window.scale, reaches
-- the setting.
local function follow_window()
  local now, before = abi.input, abi.input_before
  if now.window.width == 0 then
    return
  end
  local was = before.window.width ~= 0 and before or nil
  follow("fullscreen", now.window.fullscreen ~= 0, was and was.window.fullscreen ~= 0)
  follow("vsync", now.tearing == 0, was and was.tearing == 0)
  follow("scale", SCALES[now.scale], was and SCALES[was.scale])
end

-- In every tick, and while the game is paused.
local function look()
  if held and held_at == C.view_tick(W) then
    held, held_keys = values(), input.chosen()
  elseif held then
    held, held_keys = nil, nil
  end
  follow_window()
  if has_changed() then
    native.scene_keep(FILE, text_of())
  end
end

function M.add_system()
  if at_file then
    local engine = { file = "[shoal]/kit/settings.lua", text = "" }
    system.add("shoal.settings", { phase = "post_update", priority = 2 ^ 30, update = look }, engine)
    system.add("shoal.settings.paused", { phase = "input", priority = 2 ^ 30, update = function()
      input.step()
      look()
    end }, engine)
    text.on_change(function()
      last = nil
      if held then
        apply(held, held_keys or {})
        held, held_keys = nil, nil
      end
    end)
  end
end

-- The world is another one, or a tick runs again: what was put into the file is not known.
function M.again()
  last = nil
end

-- --- what scripts see

local function present()
  if state.loading then
    report.complain("settings are not there while files are loaded: read them in a function")
  elseif not at_file then
    report.complain("settings: the game has neither settings.lua (return { music = 1, best = 0 }) nor an id in "
      .. "game.lua")
  end
  return single()
end

M.api = setmetatable({}, {
  __index = function(_, name)
    local v = present()[name]
    return v
  end,
  __newindex = function(_, name, v)
    present()[name] = v
  end,
  __metatable = false,
})
report.tables[M.api] = "settings"

return M

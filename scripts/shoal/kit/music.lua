-- Adaptive music: music.lua declares pieces, each with a tempo, layers (files played in sync), sections (sets of layer
-- volumes) and stingers. The singleton `music` stores the state: the piece, its section, the tick in which it started,
-- the planned change, the volume of each layer, and the ticks in which stingers are due. The output depends only on
-- these fields and the tick, so it is the same in a replay, after a rewind and after loading a save. The system
-- "shoal.music" applies changes that are due; "shoal.music.heard" passes the volumes to the audio device every frame
-- (platform/audio.h). The audio device never affects the state.
local need = ...
local abi = need("base/abi")
local log = need("base/log")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local audio = need("media/audio")
local missing_assets = need("messages/missing_assets")
local components = need("schema/component")
local schema = need("schema/schema")
local value = need("schema/value")
local system = need("systems/system")
local C, W, A = abi.C, abi.world, abi.audio

---@class engine.music
local M = {}
local pieces ---@type table<string, engine.Piece>? nil: the game has no music.lua
local stinger_owners = {} -- stinger → the first piece that has it
local FIXED_FIELDS = { { "piece", "string" }, { "section", "string" }, { "began", "f64", -1 }, { "before", "string" },
  { "before_section", "string" }, { "before_began", "f64", -1 }, { "changed", "f64" }, { "fade", "f32" },
  { "next", "string" }, { "next_section", "string" }, { "next_fade", "f32" }, { "due", "f64", -1 } }
local DUE = "_due" -- suffix of a stinger's field: NAME_due
local MAX_LAYERS = 8
-- Maximum drift in seconds before playback is resynchronized, for pieces with and without a tempo.
local MAX_DRIFT_S, MAX_FREE_DRIFT_S = 0.1, 2
local TIMES = { now = true, beat = true, bar = true }

---@class engine.Piece
---@field name string
---@field tempo? number beats per minute; nil: no beat
---@field beats number beats per bar
---@field fade number default duration of crossfades in seconds
---@field volume number volume of the piece, 0 … 1
---@field at string "now", "beat" or "bar": default time at which a section starts
---@field first string the section in which the piece starts; "": all layers play
---@field layers table<string, { file: string, volume: number, follows?: string, single?: string, field?: string }>
---@field order string[] names of the layers, sorted
---@field sections table<string, engine.Section>
---@field stingers table<string, { file: string, volume: number, at: string, bus: string }>

---@class engine.Section
---@field layers table<string, number> volume by layer, 0 … 1; other layers are silent
---@field at? string time at which the section starts, instead of the piece's `at`
---@field fade? number duration of the crossfade to the section in seconds, instead of the piece's `fade`
---@field restart boolean true: entering the section restarts the piece
---@field lowpass number cut-off frequency of the low-pass filter over all music in hertz; 0: no filter
---@field reverb number reverb over all music, 0 … 1

-- --- reading

local PIECE = { tempo = "number", beats = "number", fade = "number", volume = "number", at = "string",
  first = "string", layers = "table", sections = "table", stingers = "table" }
local LAYER = { file = "string", volume = "number", follows = "string" }
local SECTION = { layers = "table", at = "string", fade = "number", restart = "boolean", lowpass = "number",
  reverb = "number" }
local STINGER = { file = "string", volume = "number", at = "string", bus = "string" }

local function is_fraction(v)
  return type(v) == "number" and v >= 0 and v <= 1
end

local NUMBERS = {
  tempo = { "a number of beats per minute from 20 to 400", function(v) return v >= 20 and v <= 400 end },
  beats = { "an integer from 1 to 32 (beats per bar)",
    function(v) return v >= 1 and v <= 32 and v % 1 == 0 end },
  fade = { "a number of seconds from 0 to 60", function(v) return v >= 0 and v <= 60 end },
  volume = { "a number from 0 to 1", is_fraction },
  reverb = { "a number from 0 to 1", is_fraction },
  lowpass = { "a frequency from 20 to 20000 Hz, or 0 for none", audio.is_lowpass },
}

-- Returns a copy of a declaration, after checking the types and ranges of its fields. `label`: the declaration's name
-- in messages, "night.sections.calm".
local function read_parts(declaration, parts, label, fail)
  declaration = value.copy_declared(declaration, parts)
  for _, key in ipairs(sorted_keys(declaration)) do
    local v, kind = declaration[key], parts[key]
    if not kind then
      fail(key, "%s has no field %s%s; available: %s", label, report.show(key), report.suggest(key, parts),
        report.join_names(parts))
    elseif type(v) ~= kind then
      fail(key, "%s.%s must be a %s, got %s", label, key, kind, report.describe(v))
    elseif NUMBERS[key] and not NUMBERS[key][2](v) then
      fail(key, "%s.%s must be %s, got %s", label, key, NUMBERS[key][1], report.describe(v))
    elseif key == "at" and not TIMES[v] then
      fail(key, "%s.at must be now, beat or bar, got %s%s", label, report.describe(v), report.suggest(v, TIMES))
    end
  end
  return declaration
end

local function check_name(name, label, kind, fail)
  if type(name) ~= "string" or not name:find("^%a[%w_]*$") or #name > 40 then
    fail(name, "%s: invalid %s name %s: use at most 40 letters, digits and _, beginning with a letter", label, kind,
      report.show(name))
  end
end

local function read_file(declaration, parts, label, name, fail)
  declaration = type(declaration) == "string" and { file = declaration } or declaration
  if type(declaration) ~= "table" then
    fail(name, "%s must be a file name (\"%s.wav\") or a table ({ file = \"%s.wav\" }), got %s", label, name, name,
      report.describe(declaration))
  end
  declaration = read_parts(declaration, parts, label, fail)
  if not declaration.file or declaration.file == "" then
    fail(name, "%s has no file: add file = \"%s.wav\"", label, name)
  end
  return declaration
end

-- Parses a layer's `follows`, "heat.value": the field of a singleton by which the layer's volume is multiplied.
local function read_follows(layer, label, fail, addon)
  local single, field = (layer.follows or ""):match("^([%a_][%w_.]*)%.([%a_][%w_]*)$")
  single = scope.add_prefix("component", single, addon)
  local component = single and components.by_name[single]
  local singles = {}
  for name, candidate in pairs(components.by_name) do
    singles[name] = candidate.kind == "single" or nil
  end
  if not single then
    fail("follows", "%s.follows must be a field of a singleton, got %s: use a path like \"game.danger\"", label,
      report.describe(layer.follows))
  elseif not component or component.kind ~= "single" then
    fail("follows", "%s.follows: unknown singleton %s%s", label, single, report.hint(single, singles))
  elseif not component.by_name[field] then
    fail("follows", "%s.follows: the singleton %s has no field %s%s", label, single, field,
      report.hint(field, component.by_name))
  elseif component.by_name[field].type ~= "f32" and component.by_name[field].type ~= "f64" then
    fail("follows", "%s.follows: %s.%s must have the type f32 or f64, got %s", label, single, field,
      component.by_name[field].type)
  end
  layer.single, layer.field = single, field
end

local function read_layers(piece, declarations, fail, addon)
  local label = piece.name .. ".layers"
  for _, name in ipairs(sorted_keys(declarations)) do
    check_name(name, label, "layer", fail)
    for _, fixed_field in ipairs(FIXED_FIELDS) do
      if fixed_field[1] == name then
        fail(name, "%s.%s: the singleton music already has a field of that name: choose a different name", label, name)
      end
    end
    local layer = read_file(declarations[name], LAYER, label .. "." .. name, name, fail)
    layer.volume = layer.volume or 1
    if layer.follows then
      read_follows(layer, label .. "." .. name, fail, addon)
    end
    piece.layers[name] = layer
    piece.order[#piece.order + 1] = name
  end
  if #piece.order == 0 or #piece.order > MAX_LAYERS then
    fail("layers", "%s: a piece must have 1 to %d layers, got %d: use layers = { base = \"%s.wav\" }", label,
      MAX_LAYERS, #piece.order, piece.name)
  end
end

local function read_section(piece, name, declaration, fail)
  local label, layers = piece.name .. ".sections." .. name, {}
  if type(declaration) ~= "table" then
    fail(name, "%s must be a table, got %s: use { layers = { \"%s\" } }", label, report.describe(declaration),
      piece.order[1])
  end
  local section = read_parts(declaration, SECTION, label, fail)
  for _, key in ipairs(sorted_keys(section.layers or {})) do
    local v = section.layers[key]
    local layer, volume = type(key) == "number" and v or key, type(key) == "number" and 1 or v
    if not piece.layers[layer] then
      fail(layer, "%s: unknown layer %s%s", label, report.show(layer), report.hint(layer, piece.layers))
    elseif not is_fraction(volume) then
      fail(layer, "%s: the volume of %s must be a number from 0 to 1, got %s", label, layer, report.describe(volume))
    end
    layers[layer] = volume
  end
  piece.sections[name] = { layers = layers, at = section.at, fade = section.fade, restart = section.restart == true,
    lowpass = section.lowpass or 0, reverb = section.reverb or 0 }
end

local function read_piece(name, declaration, fail, addon)
  check_name(name, "music.lua", "piece", fail)
  declaration = type(declaration) == "string" and { layers = { [name] = declaration } } or declaration
  if type(declaration) ~= "table" then
    fail(name, "%s must be a file name (\"%s.wav\") or a table ({ tempo = 100, layers = { base = \"%s.wav\" } }), "
      .. "got %s",
      name, name, name, report.describe(declaration))
  end
  local parts = read_parts(declaration, PIECE, name, fail)
  local piece = { name = name, tempo = parts.tempo, beats = parts.beats or 4, fade = parts.fade or 1, at = parts.at
    or "bar",
    volume = parts.volume or 1, first = parts.first or "", layers = {}, order = {}, sections = {}, stingers = {} }
  read_layers(piece, parts.layers or {}, fail, addon)
  for _, section in ipairs(sorted_keys(parts.sections or {})) do
    check_name(section, name .. ".sections", "section", fail)
    read_section(piece, section, parts.sections[section], fail)
  end
  for _, stinger in ipairs(sorted_keys(parts.stingers or {})) do
    local label = name .. ".stingers." .. report.show(stinger)
    check_name(stinger, name .. ".stingers", "stinger", fail)
    local stinger_parts = read_file(parts.stingers[stinger], STINGER, label, stinger, fail)
    if stinger_parts.bus and not audio.is_bus(stinger_parts.bus) then
      fail("bus", "%s: unknown bus %s%s", label, stinger_parts.bus, audio.format_bus_suggestion(stinger_parts.bus))
    end
    piece.stingers[stinger] = { file = stinger_parts.file, volume = stinger_parts.volume or 1, at = stinger_parts.at
      or "beat",
      bus = stinger_parts.bus or "music" }
  end
  if piece.first ~= "" and not piece.sections[piece.first] then
    fail("first", "%s.first: unknown section %s%s", name, piece.first, report.hint(piece.first, piece.sections))
  end
  return piece
end

-- Replaces the keys of a table with full names.
local function expand_keys(kind, t, addon)
  local out = {}
  for name, v in pairs(t) do
    out[scope.add_prefix(kind, name, addon)] = v
  end
  return out
end

-- Replaces the names of an add-on's piece, of its layers and of its stingers with their full names, because layers and
-- stingers have fields in the singleton that all pieces share. Sections keep their names.
local function expand_piece_names(piece, addon)
  scope.declare(addon, "piece", piece.name)
  piece.name = scope.add_prefix("piece", piece.name, addon)
  for _, kind in ipairs { "layer", "stinger" } do
    local name_kind = "music " .. kind
    for name, part in pairs(piece[kind .. "s"]) do
      scope.declare(addon, name_kind, name)
      part.file = scope.add_prefix("asset", part.file, addon)
    end
    piece[kind .. "s"] = expand_keys(name_kind, piece[kind .. "s"], addon)
  end
  piece.order = sorted_keys(piece.layers)
  for _, section in pairs(piece.sections) do
    section.layers = expand_keys("music layer", section.layers, addon)
  end
  return piece
end

-- Returns the fields of the singleton `music`: FIXED_FIELDS, and the fields for the layers and stingers of all pieces.
local function list_fields()
  local out, kind_by_name = {}, {}
  local function add(name, default, kind, owner_kind)
    if kind_by_name[name] and kind_by_name[name] ~= owner_kind then
      report.raise("music.lua: a layer and a stinger are both named %s: rename one of them", name)
    elseif not kind_by_name[name] then
      kind_by_name[name] = owner_kind
      out[#out + 1] = { name, kind, default }
    end
  end
  for _, fixed_field in ipairs(FIXED_FIELDS) do
    out[#out + 1] = fixed_field
  end
  for _, name in ipairs(sorted_keys(pieces)) do
    for _, layer in ipairs(pieces[name].order) do
      add(layer, 1, "f32", "layer")
    end
    for _, stinger in ipairs(sorted_keys(pieces[name].stingers)) do
      add(stinger .. DUE, -1, "f64", "stinger")
      stinger_owners[stinger] = stinger_owners[stinger] or name
    end
  end
  return out
end

-- Warns once about each missing file. The music is then played without it.
local function check_files(piece, at)
  for _, list in ipairs { piece.layers, piece.stingers } do
    for _, part in ipairs(sorted_keys(list)) do
      local file = list[part].file
      local location = string.format("%s:%d", at.file, report.find_line(at.text, file))
      missing_assets.check(file, string.format("%s: %s.%s", location, piece.name, part), true)
    end
  end
end

-- Reads the declaration of the music.lua of the game or an add-on.
---@param declaration any the value that music.lua returned
---@param at engine.At
function M.read(declaration, at)
  local function fail(key, format, ...)
    report.fail { message = string.format(format, ...), file = at.file, piece = "music",
      line = type(key) == "string" and report.find_line(at.text, key) or 1 }
  end
  if type(declaration) ~= "table" or next(declaration) == nil then
    fail(nil, "the file must return a table of pieces: return { night = \"night.ogg\" }")
  elseif components.by_name.music then
    fail(nil, "music.lua declares the singleton music, but the game also declares a component of that name: "
      .. "rename the component")
  end
  pieces = pieces or {}
  for _, name in ipairs(sorted_keys(declaration)) do
    local piece = read_piece(name, declaration[name], fail, at.addon)
    if at.addon then
      expand_piece_names(piece, at.addon)
    end
    pieces[piece.name] = piece
    check_files(piece, at)
  end
end

-- Declares the singleton `music` for all pieces that were read. Returns its schema; nil if there are no pieces.
---@return engine.Schema?
function M.declare()
  if not pieces then
    return nil
  end
  local music_schema = schema.define("music", "single", list_fields())
  components.add_declared(music_schema).builtin = true
  return music_schema
end

-- --- time

local function to_ticks(seconds)
  return seconds * C.world_tick_rate(W)
end

-- Returns the first tick, from the current one on, in which a beat or bar of the piece starts. Returns the current tick
-- if `time` is "now" or no piece with a tempo is playing.
local function next_tick(music, time)
  local tick, piece = C.view_tick(W), pieces[music.piece]
  if not piece or not piece.tempo or time == "now" then
    return tick
  end
  local length = to_ticks(60 / piece.tempo) * (time == "bar" and piece.beats or 1)
  return math.ceil(music.began + math.ceil((tick - music.began) / length) * length)
end

-- --- changes

local function get_section(piece, name)
  return piece and piece.sections[name]
end

local function change_piece(music, name, section, fade)
  local tick = C.view_tick(W)
  music.before, music.before_section, music.before_began = music.piece, music.section, music.began
  local new_section = get_section(pieces[name], section)
  if name ~= music.piece or (new_section and new_section.restart and section ~= music.section) then
    music.began = tick
  end
  music.piece, music.section, music.changed, music.fade = name, section, tick, fade
  music.next, music.next_section, music.due = "", "", -1
end

-- Changes the piece and section immediately, or plans the change for the next beat or bar, depending on `time`.
local function plan_change(music, name, section, time, fade)
  local due_tick = next_tick(music, time)
  if due_tick <= C.view_tick(W) then
    change_piece(music, name, section, fade)
  else
    music.next, music.next_section, music.next_fade, music.due = name, section, fade, due_tick
  end
end

local function play_stinger(music, name)
  local piece = pieces[music.piece]
  local stinger = piece and piece.stingers[name] or pieces[stinger_owners[name]].stingers[name]
  audio.play(stinger.file, { volume = stinger.volume, bus = stinger.bus })
end

-- Stops or replaces a piece or section that music.lua no longer declares, and cancels a planned change to it. This
-- happens if the file was edited, or if a save was written by an earlier version of the game.
local function replace_removed_pieces(music)
  local piece = pieces[music.piece]
  if music.piece ~= "" and not piece then
    log.warn("music: the piece %s no longer exists%s: stopping the music", music.piece,
      report.hint(music.piece, pieces))
    change_piece(music, "", "", 0)
  elseif music.section ~= "" and not get_section(piece, music.section) then
    log.warn("music: the piece %s no longer has the section %s%s: %s", music.piece, music.section,
      report.hint(music.section, piece and piece.sections or {}),
      piece and piece.first ~= "" and "playing " .. piece.first or "playing all its layers")
    music.section = piece and piece.first or ""
  end
  if music.due >= 0 and (music.next ~= "" and not pieces[music.next]
    or music.next_section ~= "" and not get_section(pieces[music.next], music.next_section)) then
    music.next, music.next_section, music.due = "", "", -1
  end
end

local function update_music()
  local music, tick = components.single.music, C.view_tick(W)
  replace_removed_pieces(music)
  if music.due >= 0 and tick >= music.due then
    change_piece(music, music.next, music.next_section, music.next_fade)
  end
  for _, name in ipairs(sorted_keys(stinger_owners)) do
    local due_tick = music[name .. DUE]
    if due_tick >= 0 and tick >= due_tick then
      music[name .. DUE] = -1
      play_stinger(music, name)
    end
  end
end

-- --- output

local function clamp_fraction(v)
  return v > 0 and (v < 1 and v or 1) or 0 -- NaN becomes 0
end

local function compute_volume(music, piece, section, name)
  local section_data, layer = get_section(piece, section), piece.layers[name]
  local volume = clamp_fraction(music[name]) * layer.volume * piece.volume
  if layer.single then
    volume = volume * clamp_fraction(components.single[layer.single][layer.field])
  end
  return volume * (section_data and (section_data.layers[name] or 0) or 1)
end

local layer_position = abi.ffi.new("audio_position_t")

local function play_layers(piece, began, volume)
  layer_position.began, layer_position.at_s = began, (C.view_tick(W) - began) / C.world_tick_rate(W)
  layer_position.drift_s = piece.tempo and MAX_DRIFT_S or MAX_FREE_DRIFT_S
  for _, name in ipairs(piece.order) do
    C.audio_declare_layer(A, piece.layers[name].file, layer_position, volume(name))
  end
end

local function get_section_effect(piece, section, part)
  local section_data = get_section(piece, section)
  return section_data and section_data[part] or 0
end

-- Interpolates geometrically between two cut-off frequencies in hertz; t = 0 … 1. A frequency of 0 means that the
-- filter is off.
local function interpolate_lowpass(start_hz, end_hz, t)
  if start_hz == end_hz then
    return end_hz
  end
  start_hz, end_hz = start_hz > 0 and start_hz or 20000, end_hz > 0 and end_hz or 20000
  return start_hz * (end_hz / start_hz) ^ t
end

local function update_volumes()
  local music = components.single.music
  local tick, piece, previous = C.view_tick(W), pieces[music.piece], pieces[music.before]
  local fade = to_ticks(music.fade)
  local t = clamp_fraction(fade > 0 and (tick - music.changed) / fade or 1)
  C.audio_layers_begin(A)
  local is_continued = piece and piece == previous and music.began == music.before_began
  if previous and not is_continued and t < 1 then
    play_layers(previous, music.before_began, function(name)
      return compute_volume(music, previous, music.before_section, name) * (1 - t)
    end)
  end
  if piece then
    play_layers(piece, music.began, function(name)
      local volume = compute_volume(music, piece, music.section, name)
      local previous_volume = is_continued and compute_volume(music, piece, music.before_section, name) or 0
      return previous_volume + (volume - previous_volume) * t
    end)
  end
  C.audio_layers_end(A,
    interpolate_lowpass(get_section_effect(previous, music.before_section, "lowpass"),
    get_section_effect(piece, music.section, "lowpass"), t),
    get_section_effect(previous, music.before_section, "reverb") * (1 - t) + get_section_effect(piece, music.section,
    "reverb") * t)
end

function M.add_systems()
  if pieces then
    local source = { file = "[shoal]/kit/music.lua", text = "" }
    system.add("shoal.music", { phase = "post_update", priority = 2 ^ 29, update = update_music }, source)
    system.add("shoal.music.heard", { phase = "render", update = update_volumes }, source)
  end
end

-- --- script API

local api = {}
M.api = api
local OPTIONS = {
  play = { section = "string", at = "string", fade = "number" },
  section = { at = "string", fade = "number" },
  stop = { at = "string", fade = "number" },
  sting = { at = "string" },
}

local KINDS = { play = "piece", section = "section", sting = "stinger", layer = "layer" }
local SCOPES = { play = "piece", sting = "music stinger", layer = "music layer" } -- kinds of names in add-ons

local function get_single(function_name)
  phases.check("music." .. function_name)
  if not pieces then
    report.raise("music.%s: the game has no music.lua: create it with return { night = \"night.ogg\" }", function_name)
  end
  return components.single.music
end

local function raise_error(_, format, ...)
  report.raise(format, ...)
end

local function read_options(function_name, options)
  if options ~= nil and type(options) ~= "table" then
    report.raise("music.%s: options must be a table, got %s: use { at = \"beat\" }", function_name,
      report.describe(options))
  end
  return options and read_parts(options, OPTIONS[function_name], "music." .. function_name, raise_error) or {}
end

local function find_piece(function_name, name)
  name = scope.name("piece", name)
  if type(name) ~= "string" or not pieces[name] then
    report.raise("music.%s: unknown piece %s%s", function_name, report.show(name), report.hint(name, pieces))
  end
  return pieces[name]
end

local function check_section(function_name, piece, name)
  if type(name) ~= "string" or not piece.sections[name] then
    report.raise("music.%s: the piece %s has no section %s%s", function_name, piece.name, report.show(name),
      report.hint(name, piece.sections))
  end
end

-- Starts a piece. If the piece is already playing and no change is planned, only its section changes, if `options`
-- names a different section. If a change to the piece is already planned, the call has no effect unless `options`
-- names a different section than the plan.
function api.play(name, options)
  local music = get_single("play")
  local piece = find_piece("play", name)
  name = piece.name
  options = read_options("play", options)
  local section = options.section
  if section then
    check_section("play", piece, section)
  end
  if music.piece == name and music.due < 0 then
    if section and section ~= music.section then
      api.section(section, { at = options.at, fade = options.fade })
    end
    return
  elseif music.due >= 0 and music.next == name and (not section or section == music.next_section) then
    return
  end
  plan_change(music, name, section or piece.first, options.at or "now", options.fade or piece.fade)
end

function api.stop(options)
  local music = get_single("stop")
  options = read_options("stop", options)
  local piece = pieces[music.piece]
  if piece and not (music.due >= 0 and music.next == "") then
    plan_change(music, "", "", options.at or "now", options.fade or piece.fade)
  end
end

-- Changes the section of the planned piece or, if no change is planned, of the current piece. May be called in every
-- tick: a section that is already playing or planned does not start again. Naming the current section cancels a planned
-- change to a different section of the same piece.
function api.section(name, options)
  local music = get_single("section")
  options = read_options("section", options)
  local is_planned = music.due >= 0
  local piece = pieces[is_planned and music.next or music.piece]
  if not piece then
    report.raise("music.section: no piece is playing: call music.play(%q) first", sorted_keys(pieces)[1])
  end
  check_section("section", piece, name)
  local section = piece.sections[name]
  if is_planned and music.next ~= music.piece then
    music.next_section = name
  elseif name == music.section then -- the section is playing already: cancel a planned change
    music.next, music.next_section, music.due = "", "", -1
  elseif not (is_planned and music.next_section == name) then
    plan_change(music, piece.name, name, options.at or section.at or piece.at, options.fade or section.fade
      or piece.fade)
  end
end

function api.sting(name, options)
  local music = get_single("sting")
  options = read_options("sting", options)
  name = scope.name("music stinger", name)
  if type(name) ~= "string" or not stinger_owners[name] then
    report.raise("music.sting: unknown stinger %s%s", report.show(name), report.hint(name, stinger_owners))
  end
  local piece = pieces[music.piece]
  local stinger = piece and piece.stingers[name] or pieces[stinger_owners[name]].stingers[name]
  if music[name .. DUE] < 0 then
    music[name .. DUE] = next_tick(music, options.at or stinger.at)
  end
end

function api.layer(name, volume)
  local music, layers = get_single("layer"), {}
  name = scope.name("music layer", name)
  for _, piece in pairs(pieces) do
    for _, layer in ipairs(piece.order) do
      layers[layer] = true
    end
  end
  if type(name) ~= "string" or not layers[name] then
    report.raise("music.layer: unknown layer %s%s", report.show(name), report.hint(name, layers))
  elseif not is_fraction(volume) then
    report.raise("music.layer: the volume of %s must be a number from 0 to 1, got %s", name, report.describe(volume))
  end
  music[name] = volume
end

-- Returns the problem with the name in a call such as music.play("night"); nil if the name is declared, or if the
-- function takes no name. Called for the calls in the game's files when they are loaded.
---@param function_name string name of the `music` function: "play"
---@param name string
---@return string?
function M.find_problem(function_name, name)
  local allowed = { play = pieces, sting = pieces and stinger_owners, section = {}, layer = {} }
  for _, piece in pairs(pieces or {}) do
    for section in pairs(piece.sections) do
      allowed.section[section] = true
    end
    for layer in pairs(piece.layers) do
      allowed.layer[layer] = true
    end
  end
  if not api[function_name] or function_name == "beat" or function_name == "stop" then
    return
  elseif not pieces then
    return string.format("music.%s: the game has no music.lua: create it with return { night = \"night.ogg\" }",
      function_name)
  elseif not allowed[function_name][SCOPES[function_name] and scope.name(SCOPES[function_name], name) or name] then
    return string.format("music.%s: unknown %s %s%s", function_name, KINDS[function_name], name,
      report.hint(name, allowed[function_name]))
  end
end

-- Returns the number of beats since the start of the piece, with a fraction, and the number of the bar, from 1. Returns
-- 0 and 0 unless a piece with a tempo is playing.
function api.beat()
  local music = get_single("beat")
  local piece = pieces[music.piece]
  if not (piece and piece.tempo) then
    return 0, 0
  end
  local beat = (C.view_tick(W) - music.began) / to_ticks(60 / piece.tempo)
  return beat, math.floor(beat / piece.beats) + 1
end

return M

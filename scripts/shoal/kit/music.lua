-- Adaptive music: music.lua declares pieces, each with a tempo, layers (files played in sync), sections (sets of layer
-- volumes) and stingers. The singleton `music` stores the state: the piece, its section, the tick in which it started,
-- the planned change, the volume of each layer, and the ticks in which stingers are due. The output depends only on
-- these fields and the tick, so it is the same in a replay, after a rewind and in a save. The system "shoal.music"
-- applies changes that are due; "shoal.music.heard" passes the volumes to the audio device in each frame
-- (platform/audio.h). Nothing flows back from the device.
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
local stinger_owner = {} -- stinger → the first piece that has it
local OWN = { { "piece", "string" }, { "section", "string" }, { "began", "f64", -1 }, { "before", "string" },
  { "before_section", "string" }, { "before_began", "f64", -1 }, { "changed", "f64" }, { "fade", "f32" },
  { "next", "string" }, { "next_section", "string" }, { "next_fade", "f32" }, { "due", "f64", -1 } }
local DUE = "_due" -- suffix of a stinger's field: NAME_due
local MAX_LAYERS = 8
-- Maximum drift in seconds before playback is resynchronized: DRIFT_S for pieces with a tempo, LOOSE_S for pieces
-- without one.
local DRIFT_S, LOOSE_S = 0.1, 2
local WHEN = { now = true, beat = true, bar = true }

---@class engine.Piece
---@field name string
---@field tempo? number beats per minute; nil: no beat
---@field beats number beats per bar
---@field fade number default duration of crossfades in seconds
---@field volume number 0 … 1
---@field at string "now", "beat" or "bar": when a section starts by default
---@field first string the section in which the piece starts; "": all layers play
---@field layers table<string, { file: string, volume: number, follows?: string, single?: string, field?: string }>
---@field order string[] the names of its layers, sorted
---@field sections table<string, engine.Section>
---@field stingers table<string, { file: string, volume: number, at: string, bus: string }>

---@class engine.Section
---@field layers table<string, number> volume by layer, 0 … 1; other layers are silent
---@field at? string when the section starts, instead of the piece's `at`
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
local function read_parts(t, parts, label, fail)
  t = value.copy_declared(t, parts)
  for _, key in ipairs(sorted_keys(t)) do
    local v, kind = t[key], parts[key]
    if not kind then
      fail(key, "%s has no field %s%s; available: %s", label, report.plain(key), report.suggestion(key, parts),
        report.join_names(parts))
    elseif type(v) ~= kind then
      fail(key, "%s.%s must be a %s, got %s", label, key, kind, report.describe(v))
    elseif NUMBERS[key] and not NUMBERS[key][2](v) then
      fail(key, "%s.%s must be %s, got %s", label, key, NUMBERS[key][1], report.describe(v))
    elseif key == "at" and not WHEN[v] then
      fail(key, "%s.at must be now, beat or bar, got %s%s", label, report.describe(v), report.suggestion(v, WHEN))
    end
  end
  return t
end

local function check_name(name, label, what, fail)
  if type(name) ~= "string" or not name:find("^%a[%w_]*$") or #name > 40 then
    fail(name, "%s: invalid %s name %s: use at most 40 letters, digits and _, beginning with a letter", label, what,
      report.plain(name))
  end
end

local function read_file(t, parts, label, name, fail)
  t = type(t) == "string" and { file = t } or t
  if type(t) ~= "table" then
    fail(name, "%s must be a file name (\"%s.wav\") or a table ({ file = \"%s.wav\" }), got %s", label, name, name,
      report.describe(t))
  end
  t = read_parts(t, parts, label, fail)
  if not t.file or t.file == "" then
    fail(name, "%s has no file: add file = \"%s.wav\"", label, name)
  end
  return t
end

-- Parses a layer's `follows`, "heat.value": the field of a singleton by which the layer's volume is multiplied.
local function read_follows(layer, label, fail, addon)
  local single, field = (layer.follows or ""):match("^([%a_][%w_.]*)%.([%a_][%w_]*)$")
  single = scope.full("component", single, addon)
  local component = single and components.by_name[single]
  local singles = {}
  for name, of_name in pairs(components.by_name) do
    singles[name] = of_name.kind == "single" or nil
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

local function read_layers(piece, given, fail, addon)
  local label = piece.name .. ".layers"
  for _, name in ipairs(sorted_keys(given)) do
    check_name(name, label, "layer", fail)
    for _, own in ipairs(OWN) do
      if own[1] == name then
        fail(name, "%s.%s: the singleton music already has a field of that name: choose another name", label, name)
      end
    end
    local layer = read_file(given[name], LAYER, label .. "." .. name, name, fail)
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

local function read_section(piece, name, given, fail)
  local label, layers = piece.name .. ".sections." .. name, {}
  if type(given) ~= "table" then
    fail(name, "%s must be a table, got %s: use { layers = { \"%s\" } }", label, report.describe(given), piece.order[1])
  end
  local section = read_parts(given, SECTION, label, fail)
  for _, key in ipairs(sorted_keys(section.layers or {})) do
    local v = section.layers[key]
    local layer, volume = type(key) == "number" and v or key, type(key) == "number" and 1 or v
    if not piece.layers[layer] then
      fail(layer, "%s: unknown layer %s%s", label, report.plain(layer), report.hint(layer, piece.layers))
    elseif not is_fraction(volume) then
      fail(layer, "%s: the volume of %s must be a number from 0 to 1, got %s", label, layer, report.describe(volume))
    end
    layers[layer] = volume
  end
  piece.sections[name] = { layers = layers, at = section.at, fade = section.fade, restart = section.restart == true,
    lowpass = section.lowpass or 0, reverb = section.reverb or 0 }
end

local function read_piece(name, given, fail, addon)
  check_name(name, "music.lua", "piece", fail)
  given = type(given) == "string" and { layers = { [name] = given } } or given
  if type(given) ~= "table" then
    fail(name, "%s must be a file name (\"%s.wav\") or a table ({ tempo = 100, layers = { base = \"%s.wav\" } }), "
      .. "got %s",
      name, name, name, report.describe(given))
  end
  local t = read_parts(given, PIECE, name, fail)
  local piece = { name = name, tempo = t.tempo, beats = t.beats or 4, fade = t.fade or 1, at = t.at or "bar",
    volume = t.volume or 1, first = t.first or "", layers = {}, order = {}, sections = {}, stingers = {} }
  read_layers(piece, t.layers or {}, fail, addon)
  for _, section in ipairs(sorted_keys(t.sections or {})) do
    check_name(section, name .. ".sections", "section", fail)
    read_section(piece, section, t.sections[section], fail)
  end
  for _, stinger in ipairs(sorted_keys(t.stingers or {})) do
    local label = name .. ".stingers." .. report.plain(stinger)
    check_name(stinger, name .. ".stingers", "stinger", fail)
    local read = read_file(t.stingers[stinger], STINGER, label, stinger, fail)
    if read.bus and not audio.is_bus(read.bus) then
      fail("bus", "%s: unknown bus %s%s", label, read.bus, audio.bus_suggestion(read.bus))
    end
    piece.stingers[stinger] = { file = read.file, volume = read.volume or 1, at = read.at or "beat",
      bus = read.bus or "music" }
  end
  if piece.first ~= "" and not piece.sections[piece.first] then
    fail("first", "%s.first: unknown section %s%s", name, piece.first, report.hint(piece.first, piece.sections))
  end
  return piece
end

-- Replaces the keys of a table by full names.
local function full_keys(kind, t, addon)
  local out = {}
  for name, v in pairs(t) do
    out[scope.full(kind, name, addon)] = v
  end
  return out
end

-- Replaces the names of an add-on's piece, of its layers and of its stingers by their full names, because layers and
-- stingers have fields in the singleton that all pieces share. Sections keep their names.
local function name_piece(piece, addon)
  scope.declare(addon, "piece", piece.name)
  piece.name = scope.full("piece", piece.name, addon)
  for _, kind in ipairs { "layer", "stinger" } do
    local of_kind = "music " .. kind
    for name, part in pairs(piece[kind .. "s"]) do
      scope.declare(addon, of_kind, name)
      part.file = scope.full("asset", part.file, addon)
    end
    piece[kind .. "s"] = full_keys(of_kind, piece[kind .. "s"], addon)
  end
  piece.order = sorted_keys(piece.layers)
  for _, section in pairs(piece.sections) do
    section.layers = full_keys("music layer", section.layers, addon)
  end
  return piece
end

-- Returns the fields of the singleton `music`: the fixed fields, and the fields for the layers and stingers of all
-- pieces.
local function list_fields()
  local out, has = {}, {}
  local function add(name, default, kind, what)
    if has[name] and has[name] ~= what then
      report.raise("music.lua: a layer and a stinger are both named %s: rename one of them", name)
    elseif not has[name] then
      has[name] = what
      out[#out + 1] = { name, kind, default }
    end
  end
  for _, own in ipairs(OWN) do
    out[#out + 1] = own
  end
  for _, name in ipairs(sorted_keys(pieces)) do
    for _, layer in ipairs(pieces[name].order) do
      add(layer, 1, "f32", "layer")
    end
    for _, stinger in ipairs(sorted_keys(pieces[name].stingers)) do
      add(stinger .. DUE, -1, "f64", "stinger")
      stinger_owner[stinger] = stinger_owner[stinger] or name
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

-- Reads the declaration of the music.lua of the game or of an add-on.
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
      name_piece(piece, at.addon)
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
  local own = schema.define("music", "single", list_fields())
  components.add_declared(own).builtin = true
  return own
end

-- --- time

local function to_ticks(seconds)
  return seconds * C.world_tick_rate(W)
end

-- Returns the first tick, from the current one on, in which a beat or bar of the piece starts. Returns the current tick
-- if `when` is "now" or no piece with a tempo is playing.
local function next_tick(s, when)
  local now, piece = C.view_tick(W), pieces[s.piece]
  if not piece or not piece.tempo or when == "now" then
    return now
  end
  local length = to_ticks(60 / piece.tempo) * (when == "bar" and piece.beats or 1)
  return math.ceil(s.began + math.ceil((now - s.began) / length) * length)
end

-- --- changes

local function get_section(piece, name)
  return piece and piece.sections[name]
end

local function change_piece(s, name, section, fade)
  local now = C.view_tick(W)
  s.before, s.before_section, s.before_began = s.piece, s.section, s.began
  local entered = get_section(pieces[name], section)
  if name ~= s.piece or (entered and entered.restart and section ~= s.section) then
    s.began = now
  end
  s.piece, s.section, s.changed, s.fade = name, section, now, fade
  s.next, s.next_section, s.due = "", "", -1
end

-- Changes the piece and section immediately, or plans the change for the next beat or bar, depending on `when`.
local function plan_change(s, name, section, when, fade)
  local due = next_tick(s, when)
  if due <= C.view_tick(W) then
    change_piece(s, name, section, fade)
  else
    s.next, s.next_section, s.next_fade, s.due = name, section, fade, due
  end
end

local function play_stinger(s, name)
  local piece = pieces[s.piece]
  local stinger = piece and piece.stingers[name] or pieces[stinger_owner[name]].stingers[name]
  audio.play(stinger.file, { volume = stinger.volume, bus = stinger.bus })
end

-- Stops or replaces a piece or section that music.lua no longer declares, and cancels a planned change to one: the file
-- was edited, or a save was written by an earlier version of the game.
local function replace_removed_pieces(s)
  local piece = pieces[s.piece]
  if s.piece ~= "" and not piece then
    log.warn("music: the piece %s no longer exists%s: stopping the music", s.piece, report.hint(s.piece, pieces))
    change_piece(s, "", "", 0)
  elseif s.section ~= "" and not get_section(piece, s.section) then
    log.warn("music: the piece %s no longer has the section %s%s: %s", s.piece, s.section,
      report.hint(s.section, piece and piece.sections or {}),
      piece and piece.first ~= "" and "playing " .. piece.first or "playing all its layers")
    s.section = piece and piece.first or ""
  end
  if s.due >= 0 and (s.next ~= "" and not pieces[s.next]
    or s.next_section ~= "" and not get_section(pieces[s.next], s.next_section)) then
    s.next, s.next_section, s.due = "", "", -1
  end
end

local function update_music()
  local s, now = components.single.music, C.view_tick(W)
  replace_removed_pieces(s)
  if s.due >= 0 and now >= s.due then
    change_piece(s, s.next, s.next_section, s.next_fade)
  end
  for _, name in ipairs(sorted_keys(stinger_owner)) do
    local due = s[name .. DUE]
    if due >= 0 and now >= due then
      s[name .. DUE] = -1
      play_stinger(s, name)
    end
  end
end

-- --- output

local function clamp_fraction(v)
  return v > 0 and (v < 1 and v or 1) or 0 -- NaN becomes 0
end

local function compute_volume(s, piece, section, name)
  local of_section, layer = get_section(piece, section), piece.layers[name]
  local volume = clamp_fraction(s[name]) * layer.volume * piece.volume
  if layer.single then
    volume = volume * clamp_fraction(components.single[layer.single][layer.field])
  end
  return volume * (of_section and (of_section.layers[name] or 0) or 1)
end

local position = abi.ffi.new("audio_position_t")

local function play_layers(piece, began, volume)
  position.began, position.at_s = began, (C.view_tick(W) - began) / C.world_tick_rate(W)
  position.drift_s = piece.tempo and DRIFT_S or LOOSE_S
  for _, name in ipairs(piece.order) do
    C.audio_declare_layer(A, piece.layers[name].file, position, volume(name))
  end
end

local function get_section_effect(piece, section, part)
  local of_section = get_section(piece, section)
  return of_section and of_section[part] or 0
end

-- Interpolates geometrically between two cut-off frequencies in hertz; t = 0 … 1. A frequency of 0 means that the
-- filter is off.
local function interpolate_lowpass(from, to, t)
  if from == to then
    return to
  end
  from, to = from > 0 and from or 20000, to > 0 and to or 20000
  return from * (to / from) ^ t
end

local function update_volumes()
  local s = components.single.music
  local now, piece, before = C.view_tick(W), pieces[s.piece], pieces[s.before]
  local fade = to_ticks(s.fade)
  local t = clamp_fraction(fade > 0 and (now - s.changed) / fade or 1)
  C.audio_layers_begin(A)
  local same = piece and piece == before and s.began == s.before_began
  if before and not same and t < 1 then
    play_layers(before, s.before_began, function(name)
      return compute_volume(s, before, s.before_section, name) * (1 - t)
    end)
  end
  if piece then
    play_layers(piece, s.began, function(name)
      local volume = compute_volume(s, piece, s.section, name)
      local was = same and compute_volume(s, piece, s.before_section, name) or 0
      return was + (volume - was) * t
    end)
  end
  C.audio_layers_end(A,
    interpolate_lowpass(get_section_effect(before, s.before_section, "lowpass"),
    get_section_effect(piece, s.section, "lowpass"), t),
    get_section_effect(before, s.before_section, "reverb") * (1 - t) + get_section_effect(piece, s.section,
    "reverb") * t)
end

function M.add_systems()
  if pieces then
    local engine = { file = "[shoal]/kit/music.lua", text = "" }
    system.add("shoal.music", { phase = "post_update", priority = 2 ^ 29, update = update_music }, engine)
    system.add("shoal.music.heard", { phase = "render", update = update_volumes }, engine)
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

local function get_single(what)
  phases.check("music." .. what)
  if not pieces then
    report.raise("music.%s: the game has no music.lua: create it with return { night = \"night.ogg\" }", what)
  end
  return components.single.music
end

local function raise_error(_, format, ...)
  report.raise(format, ...)
end

local function read_options(what, options)
  if options ~= nil and type(options) ~= "table" then
    report.raise("music.%s: options must be a table, got %s: use { at = \"beat\" }", what, report.describe(options))
  end
  return options and read_parts(options, OPTIONS[what], "music." .. what, raise_error) or {}
end

local function find_piece(what, name)
  name = scope.name("piece", name)
  if type(name) ~= "string" or not pieces[name] then
    report.raise("music.%s: unknown piece %s%s", what, report.plain(name), report.hint(name, pieces))
  end
  return pieces[name]
end

local function check_section(what, piece, name)
  if type(name) ~= "string" or not piece.sections[name] then
    report.raise("music.%s: the piece %s has no section %s%s", what, piece.name, report.plain(name),
      report.hint(name, piece.sections))
  end
end

-- Starts a piece. If the piece is already playing and no change is planned, only its section changes, if `options`
-- names another one. If a change to the piece is already planned, the call has no effect unless `options` names a
-- different section than the plan.
function api.play(name, options)
  local s = get_single("play")
  local piece = find_piece("play", name)
  name = piece.name
  options = read_options("play", options)
  local section = options.section
  if section then
    check_section("play", piece, section)
  end
  if s.piece == name and s.due < 0 then
    if section and section ~= s.section then
      api.section(section, { at = options.at, fade = options.fade })
    end
    return
  elseif s.due >= 0 and s.next == name and (not section or section == s.next_section) then
    return
  end
  plan_change(s, name, section or piece.first, options.at or "now", options.fade or piece.fade)
end

function api.stop(options)
  local s = get_single("stop")
  options = read_options("stop", options)
  local piece = pieces[s.piece]
  if piece and not (s.due >= 0 and s.next == "") then
    plan_change(s, "", "", options.at or "now", options.fade or piece.fade)
  end
end

-- Changes the section of the planned piece or, if no change is planned, of the current piece. May be called in every
-- tick: a section that is already playing or planned does not start again. Naming the current section cancels a planned
-- change to another section of the same piece.
function api.section(name, options)
  local s = get_single("section")
  options = read_options("section", options)
  local planned = s.due >= 0
  local piece = pieces[planned and s.next or s.piece]
  if not piece then
    report.raise("music.section: no piece is playing: call music.play(%q) first", sorted_keys(pieces)[1])
  end
  check_section("section", piece, name)
  local section = piece.sections[name]
  if planned and s.next ~= s.piece then
    s.next_section = name
  elseif name == s.section then -- the section is playing already: cancel a planned change
    s.next, s.next_section, s.due = "", "", -1
  elseif not (planned and s.next_section == name) then
    plan_change(s, piece.name, name, options.at or section.at or piece.at, options.fade or section.fade or piece.fade)
  end
end

function api.sting(name, options)
  local s = get_single("sting")
  options = read_options("sting", options)
  name = scope.name("music stinger", name)
  if type(name) ~= "string" or not stinger_owner[name] then
    report.raise("music.sting: unknown stinger %s%s", report.plain(name), report.hint(name, stinger_owner))
  end
  local piece = pieces[s.piece]
  local stinger = piece and piece.stingers[name] or pieces[stinger_owner[name]].stingers[name]
  if s[name .. DUE] < 0 then
    s[name .. DUE] = next_tick(s, options.at or stinger.at)
  end
end

function api.layer(name, volume)
  local s, layers = get_single("layer"), {}
  name = scope.name("music layer", name)
  for _, piece in pairs(pieces) do
    for _, layer in ipairs(piece.order) do
      layers[layer] = true
    end
  end
  if type(name) ~= "string" or not layers[name] then
    report.raise("music.layer: unknown layer %s%s", report.plain(name), report.hint(name, layers))
  elseif not is_fraction(volume) then
    report.raise("music.layer: the volume of %s must be a number from 0 to 1, got %s", name, report.describe(volume))
  end
  s[name] = volume
end

-- Returns the problem with the name in a call such as music.play("night"), or nil if the name is known. Called for the
-- calls in the game's files when they are loaded.
---@param what string "play"
---@param name string
---@return string?
function M.find_problem(what, name)
  local allowed = { play = pieces, sting = pieces and stinger_owner, section = {}, layer = {} }
  for _, piece in pairs(pieces or {}) do
    for section in pairs(piece.sections) do
      allowed.section[section] = true
    end
    for layer in pairs(piece.layers) do
      allowed.layer[layer] = true
    end
  end
  if not api[what] or what == "beat" or what == "stop" then
    return
  elseif not pieces then
    return string.format("music.%s: the game has no music.lua: create it with return { night = \"night.ogg\" }", what)
  elseif not allowed[what][SCOPES[what] and scope.name(SCOPES[what], name) or name] then
    return string.format("music.%s: unknown %s %s%s", what, KINDS[what], name, report.hint(name, allowed[what]))
  end
end

-- Returns the number of beats since the start of the piece, with a fraction, and the number of the bar, from 1. Returns
-- 0 and 0 unless a piece with a tempo is playing.
function api.beat()
  local s = get_single("beat")
  local piece = pieces[s.piece]
  if not (piece and piece.tempo) then
    return 0, 0
  end
  local beat = (C.view_tick(W) - s.began) / to_ticks(60 / piece.tempo)
  return beat, math.floor(beat / piece.beats) + 1
end

return M

-- The `audio` API of scripts. No playback state enters the simulation: scripts can play, change and stop voices, but
-- only the render phase can call audio.playing. The number of a voice is derived from the tick and the count of sounds
-- played in that tick, so a world that stores the number stays the same without an audio device, and when the tick is
-- rerun. Random variations are also derived from the voice's number.
local need = ...
local abi = need("base/abi")
local log = need("base/log")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local missing_assets = need("messages/missing_assets")
local ffi = require("ffi")
local C, A, W = abi.C, abi.audio, abi.world

local TICK_COUNT, MAX_PLAYS_PER_TICK, FIRST_DRAWN_VOICE = 2 ^ 20, 1024, 2 ^ 30
local MIN_PITCH, MAX_PITCH = 0.05, 20 -- equal to MIXER_MIN_PITCH and MIXER_MAX_PITCH
local MAX_BUSES, MAX_NAME = 16, 31 -- equal to AUDIO_MAX_BUSES and AUDIO_BUS_NAME
-- `play_count`: number of sounds played in this tick. `drawn_count`: number of sounds played in the render phase, which
-- does not affect the world.
local last_tick, play_count, drawn_count = -1, 0, 0
local sound = ffi.new("audio_sound_t") -- parameters of the current call, reused

---@class engine.audio: shoal.Audio
local M = {}

local OPTIONS = {
  play = { volume = "number", pan = "number", loop = "boolean", pitch = "number", pitch_variation = "number",
    bus = "string", fade = "number", x = "number", y = "number", range = "number", within = "number" },
  set = { volume = "number", pan = "number", pitch = "number", fade = "number", x = "number", y = "number",
    range = "number", within = "number" },
  effects = { lowpass = "number", reverb = "number", fade = "number" },
}

-- --- buses

local BUILTIN_BUSES = { master = true, music = true, effects = true, voice = true, ui = true }
local buses = BUILTIN_BUSES -- names of the game's buses
local BUS = { volume = "number", under = "table", duck = "number", attack = "number", release = "number",
  lowpass = "number", reverb = "number" }
local MIN_HZ, MAX_HZ = 20, 20000 -- equal to EFFECTS_MIN_HZ and EFFECTS_OPEN_HZ

local function is_fraction(v)
  return type(v) == "number" and v >= 0 and v <= 1
end

---@param v number
---@return boolean
function M.is_lowpass(v)
  return v == 0 or v >= MIN_HZ and v <= MAX_HZ
end

local function check_bus(name, bus, fail_field)
  for key, v in pairs(bus) do
    if not BUS[key] then
      fail_field("buses", "buses.%s has no field %s%s; available: %s", name, report.show(key),
        report.suggest(key, BUS),
        report.join_names(BUS))
    elseif type(v) ~= BUS[key] then
      fail_field("buses", "buses.%s.%s must be a %s, got %s", name, key, BUS[key], report.describe(v))
    elseif key == "lowpass" and not M.is_lowpass(v) then
      fail_field("buses", "buses.%s.lowpass must be a frequency from %d to %d Hz, or 0 for none, got %g", name, MIN_HZ,
        MAX_HZ, v)
    elseif (key == "volume" or key == "duck" or key == "reverb") and not is_fraction(v) then
      fail_field("buses", "buses.%s.%s must be a number from 0 to 1, got %g", name, key, v)
    elseif (key == "attack" or key == "release") and not (v >= 0 and v <= 60) then
      fail_field("buses", "buses.%s.%s must be a number of seconds from 0 to 60, got %g", name, key, v)
    end
  end
end

local function read_bus(name, declaration, fail_field)
  if type(name) ~= "string" or not name:match("^[%a_][%w_]*$") or #name > MAX_NAME then
    fail_field("buses", "invalid bus name %s: use at most %d letters, digits and _, not beginning with a digit",
      report.show(name), MAX_NAME)
  elseif type(declaration) == "number" then
    declaration = { volume = declaration }
  elseif type(declaration) ~= "table" then
    fail_field("buses",
      "buses.%s must be a volume or a table, got %s: use { volume = 1, under = \"voice\", duck = 0.3 }",
      name, report.describe(declaration))
  end
  local bus = {}
  for key, v in pairs(declaration) do
    bus[key] = key == "under" and type(v) == "string" and { v } or v
  end
  check_bus(name, bus, fail_field)
  return bus
end

-- Declares the buses of game.lua: names, names with a volume, or names with options. `fail_field` must throw.
---@param declarations table
---@param fail_field fun(key: string, format: string, ...)
function M.declare_buses(declarations, fail_field)
  local declared_buses, names = {}, {}
  for key, v in pairs(declarations) do
    local name = type(key) == "number" and v or key
    declared_buses[name] = read_bus(name, type(key) == "number" and {} or v, fail_field)
  end
  for name in pairs(BUILTIN_BUSES) do
    names[name] = true
  end
  for name in pairs(declared_buses) do
    names[name] = true
  end
  local order = sorted_keys(declared_buses)
  if #order > MAX_BUSES then
    fail_field("buses", "too many buses: %d (at most %d)", #order, MAX_BUSES)
  end
  for _, name in ipairs(order) do
    local bus = declared_buses[name]
    for _, other_bus in ipairs(bus.under or {}) do
      if not names[other_bus] or other_bus == name then
        fail_field("buses", "buses.%s.under must be the name of another bus, got %s%s", name,
          report.describe(other_bus),
          report.suggest(other_bus, names))
      end
    end
    if name == "master" and bus.under then
      fail_field("buses", "buses.master cannot have `under`: master is the sum of all buses")
    end
    C.vm_add_bus(abi.vm, name, bus.volume or 1, bus.under and bus.duck or bus.under and 0.4 or 1, bus.attack or 0.1,
      bus.release or 0.6, table.concat(bus.under or {}, " "), bus.lowpass or 0, bus.reverb or 0)
  end
  buses = names
end

-- Returns true if the game has this bus.
---@param name string
---@return boolean
function M.is_bus(name)
  return buses[name] ~= nil
end

---@param name string
---@return string hint
function M.format_bus_suggestion(name)
  return report.suggest(name, buses) .. "; available: " .. report.join_names(buses)
end

local function check_bus_name(function_name, name)
  if type(name) ~= "string" or not buses[name] then
    report.raise("audio.%s: unknown bus %s%s; available: %s", function_name, report.show(name),
      report.suggest(name, buses), report.join_names(buses))
  end
  return name
end

-- --- options

local function check_finite(function_name, name, v)
  if v - v ~= 0 then
    report.raise("audio.%s: %s must be finite, got %s", function_name, name, report.describe(v))
  end
end

-- Ranges of options. Values out of range are clamped by the mixer.
local RANGES = { volume = { 0, 1 }, pan = { -1, 1 } }
local reported = {} -- set of the warnings that have been logged: line of code, function and option

-- Warns once per line of code about a value that the mixer clamps.
local function warn_out_of_range(function_name, name, v)
  local range = RANGES[name]
  if not range or v >= range[1] and v <= range[2] then
    return
  end
  local problem = report.add_location(string.format("audio.%s: %s must be from %d to %d, got %g", function_name, name,
    range[1], range[2], v))
  local line = problem:match("^[^:]+:%d+: ") or ""
  if not reported[line .. function_name .. name] then
    reported[line .. function_name .. name] = true
    log.warn("%s; %g is used (reported once)", problem, math.max(range[1], math.min(range[2], v)))
  end
end

local function check_options(function_name, options)
  if options ~= nil and type(options) ~= "table" then
    report.raise("audio.%s: options must be a table, got %s; available: %s", function_name, report.describe(options),
      report.join_names(OPTIONS[function_name]))
  end
  for name, v in pairs(options or {}) do
    local expected = OPTIONS[function_name][name]
    if not expected then
      report.raise("audio.%s has no option %s%s; available: %s", function_name, report.show(name),
        report.suggest(name, OPTIONS[function_name]), report.join_names(OPTIONS[function_name]))
    elseif type(v) ~= expected then
      report.raise("audio.%s: %s must be a %s, got %s", function_name, name, expected, report.describe(v))
    elseif expected == "number" then
      check_finite(function_name, name, v)
      warn_out_of_range(function_name, name, v)
    end
  end
  local pitch, variation = options and options.pitch, options and options.pitch_variation
  if pitch and not (pitch >= MIN_PITCH and pitch <= MAX_PITCH) then
    report.raise("audio.%s: pitch must be a number from %g to %g, got %g", function_name, MIN_PITCH, MAX_PITCH, pitch)
  elseif variation and not is_fraction(variation) then
    report.raise("audio.%s: pitch_variation must be a number from 0 to 1, got %g", function_name, variation)
  elseif options and (options.x == nil) ~= (options.y == nil) then
    report.raise("audio.%s: a position must have both x and y", function_name)
  end
  return options or {}
end

local function check_number(function_name, name, v)
  if v ~= nil and type(v) ~= "number" then
    report.raise("audio.%s: %s must be a number, got %s", function_name, name, report.describe(v))
  elseif v ~= nil then
    check_finite(function_name, name, v)
  end
end

-- --- voices

local function next_voice()
  if state.is_drawing() then
    drawn_count = (drawn_count + 1) % (FIRST_DRAWN_VOICE - 1)
    return FIRST_DRAWN_VOICE + drawn_count
  end
  local current_tick = C.view_tick(W)
  if current_tick ~= last_tick then
    last_tick, play_count = current_tick, 0
  end
  play_count = play_count % (MAX_PLAYS_PER_TICK - 1) + 1
  return current_tick % TICK_COUNT * MAX_PLAYS_PER_TICK + play_count
end

-- Restarts the numbering of voices in this tick. Called before the tick runs again.
function M.restart_numbering()
  last_tick = -1
end

-- Returns a pseudo-random number in [-1, 1] that depends only on the number of the voice.
local function compute_variation(voice)
  local x = voice % 65521 * 28411 % 65521
  return x % 2048 / 1023.5 - 1
end

local function fill_sound(options, defaults, unset)
  sound.volume, sound.pan = options.volume or defaults.volume, options.pan or defaults.pan
  sound.x, sound.y = options.x or unset, options.y or unset
  sound.range, sound.within = options.range or defaults.range, options.within or defaults.within
  sound.placed = options.x ~= nil
  sound.fade_s = options.fade or 0
  sound.loop = options.loop == true
  sound.bus = nil
end

local PLAY_DEFAULTS = { volume = 1, pan = 0, range = 800, within = 0 }
local NAN = 0 / 0
local KEEP_VALUES = { volume = NAN, pan = NAN, range = NAN, within = NAN }

---@param name string
---@param options? shoal.SoundOptions
---@return integer voice
function M.play(name, options)
  phases.check("audio.play")
  if type(name) ~= "string" then
    report.raise("audio.play: expected the name of a sound, got %s", report.describe(name))
  end
  name, options = scope.name("asset", name), check_options("play", options)
  local bus = options.bus and check_bus_name("play", options.bus)
  missing_assets.check(name, "audio.play", true)
  local voice = next_voice()
  fill_sound(options, PLAY_DEFAULTS, 0)
  sound.bus = bus
  sound.pitch = options.pitch or 1
  if options.pitch_variation then
    sound.pitch = sound.pitch * (1 + options.pitch_variation * compute_variation(voice))
  end
  C.audio_play_with_voice(A, voice, name, sound)
  return voice
end

function M.stop(voice, fade_s)
  phases.check("audio.stop")
  check_number("stop", "the voice", voice)
  check_number("stop", "the fade", fade_s)
  C.audio_stop(A, voice or 0, fade_s or 0)
end

function M.set(voice, options)
  phases.check("audio.set")
  options = check_options("set", options)
  check_number("set", "the voice", voice)
  fill_sound(options, KEEP_VALUES, NAN)
  sound.pitch = options.pitch or NAN
  C.audio_update_voice(A, voice or 0, sound)
end

function M.playing(voice)
  phases.check("audio.playing")
  check_number("playing", "the voice", voice)
  return C.audio_is_playing(A, voice or 0)
end

---@param bus string|number name of a bus; the volume of all sounds if `volume` is omitted
---@param volume? number
function M.volume(bus, volume)
  phases.check("audio.volume")
  if type(bus) ~= "string" then
    bus, volume = "master", bus
  end
  check_bus_name("volume", bus)
  check_number("volume", "the volume", volume)
  warn_out_of_range("volume", "volume", volume or 1)
  C.audio_set_volume(A, bus, volume or 1)
end

-- Sets the effects of a bus. Effects that `options` omits are turned off.
---@param bus string
---@param options? table
function M.effects(bus, options)
  phases.check("audio.effects")
  check_bus_name("effects", bus)
  options = check_options("effects", options)
  if options.lowpass and not M.is_lowpass(options.lowpass) then
    report.raise("audio.effects: lowpass must be a frequency from %d to %d Hz, or 0 for none, got %g", MIN_HZ,
      MAX_HZ, options.lowpass)
  elseif options.reverb and not is_fraction(options.reverb) then
    report.raise("audio.effects: reverb must be a number from 0 to 1, got %g", options.reverb)
  end
  C.audio_set_effects(A, bus, options.lowpass or 0, options.reverb or 0, options.fade or 0.3)
end

return M

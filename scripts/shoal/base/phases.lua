-- The phases in which scripts run, and a table of all functions that scripts can call, with the phases in which each is
-- allowed. Functions call M.check, which throws if the table does not allow the function in the current phase. Creating
-- a VM fails if a function has no row in the table.
local need = ...
local report = need("base/report")
local state = need("base/vm_state")
local band, bor = bit.band, bit.bor

---@class engine.phases
local M = {}

-- Descriptions of the phases for messages, indexed by phase name (see M.enter). Code that runs in the less obvious
-- phases:
--   start     game.lua's `start` and the `start` of scenes
--   update    systems in the phases pre_update, update and post_update, and behaviours
--   cache     functions of shoal.cache
--   migrate   `migrate` functions of components
--   state     functions that compute the fields of a state
--   sequence  functions in the steps of sequences
--   panel     `draw` of a cockpit panel
--   action    buttons, sliders and commands of the cockpit
--   console   the console and --exec
local DESCRIPTIONS = {
  load = "a file's main chunk",
  start = "start",
  input = "phase \"input\"",
  update = "phase \"update\"",
  render = "a render system: drawing must not change the world",
  demand = "phase \"demand\"",
  cache = "a cache's function, which must compute its table from the world without changing the world",
  migrate = "a migrate function, which may change only the rows that it converts",
  state = "the function of a state: it returns fields and must not change the world",
  sequence = "a step of a sequence",
  panel = "a panel: drawing must not change the world: use panel:button or panel:slider",
  action = "a command, button or slider of the cockpit",
  console = "the console",
}
M.NAMES = { "load", "start", "input", "update", "render", "demand", "cache", "migrate", "state", "sequence", "panel",
  "action", "console" }
local PHASE_ALIASES = { pre_update = "update", post_update = "update" }

local BITS = {}
for i, name in ipairs(M.NAMES) do
  BITS[name] = 2 ^ (i - 1)
end

local function parse_mask(names)
  local out = 0
  for name in names:gmatch("%a+") do
    out = bor(out, BITS[name])
  end
  return out
end

local ANY = parse_mask(table.concat(M.NAMES, " "))
local CHANGE = parse_mask("start input update demand sequence action console")
local READ = bor(CHANGE, parse_mask("render cache state panel"))
local READ_IN_TICK = bor(CHANGE, parse_mask("render cache state"))
local RANDOM = bor(CHANGE, parse_mask("state"))
-- Phases in which functions may output sound and graphics, which are not part of the world.
local OUTPUT = bor(CHANGE, parse_mask("render"))
local RENDER, PANEL, LOAD, CONSOLE = parse_mask("render"), parse_mask("panel"), parse_mask("load"),
  parse_mask("console")

-- Rows of the table: prefix, phases, names. A function with two forms, such as world.focus() and world.focus(e), has a
-- row for each. Entity methods that only read are allowed in every phase: without a world there are no living
-- entities. Fields of components, singletons and settings are not functions: writing them is allowed unless the phase
-- is read-only (base/vm_state.lua).
local ROWS = {
  { "", ANY, "assert collectgarbage error getmetatable ipairs load loadstring next pairs pcall print rawequal rawget "
    .. "rawset require select setmetatable tonumber tostring tr type unpack xpcall" },
  { "", CHANGE, "reload" },
  { "", READ, "settings" },
  { "bit.", ANY, "arshift band bnot bor bswap bxor lshift rol ror rshift tobit tohex" },
  { "coroutine.", ANY, "create isyieldable resume running status wrap yield" },
  { "json.", ANY, "decode encode" },
  { "log.", ANY, "debug error info warn" },
  { "math.", ANY, "abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp ldexp log log10 max min modf pow "
    .. "rad random randomseed sin sinh sqrt tan tanh" }, -- random and randomseed only raise an error
  { "string.", ANY, "byte char find format gmatch gsub len lower match rep reverse sub upper" },
  { "table.", ANY, "concat foreach foreachi getn insert maxn move new remove sort unpack" },
  { "tr.", ANY, "key language languages" },
  { "utf8.", ANY, "char codepoint codes len offset" },
  { "menu.", ANY, "find_game games source" },
  { "menu.", CHANGE, "host join join_world matches open" },
  { "lobby.", CHANGE, "begin describe leave next_colour show_players" },
  { "lobby.", RENDER, "addresses has_menu is_muted key" },
  { "shoal.math.", ANY, "abs clamp floor lerp max min sqrt" },
  { "shoal.", ANY, "cockpit ease" },
  { "shoal.", LOAD, "cache cockpit{…}" },
  { "shoal.", CONSOLE, "cockpit(name)" },

  { "world.", ANY, "alive" },
  { "world.", READ, "box compare count each find from_screen hash is_paused lookup near near_count nearest "
    .. "nearest_many past ray room single snapshot sql targets tick tiles time timeline to_screen who_targets focus" },
  { "world.", READ_IN_TICK, "explain query" },
  { "world.", RANDOM, "random" },
  { "world.", CHANGE, "after cancel changes close define delete_save emit emit_many export focus(e) ghosts import load "
    .. "open options pause quit restart restore run save saves scene spawn spawn_many system tween watch" },

  { "e:", ANY, "alive assemblage child children describe has json name parent sequence state" },
  { "e:", CHANGE, "add answer destroy disable enable enter remove send sequence(name) set" },
  { "q:", CHANGE, "add destroy_all remove" },
  { "tiles:", ANY, "get object size solid tileset way" },
  { "tiles:", CHANGE, "set" },

  { "input.", ANY, "actions label" },
  { "input.", READ, "axis bindings conflicts device down listen mouse mouse(player) pads pressed prompt "
    .. "released" },
  { "input.", CHANGE, "bind listen(action) reset rumble" },
  { "players.", READ, "in_match list" },
  { "players.", CHANGE, "move set_local" },
  { "players.", RENDER, "me" },
  { "window.", READ, "fullscreen scale vsync" },
  { "window.", CHANGE, "fullscreen(on) scale(mode) vsync(on)" },
  { "window.", OUTPUT, "pointer" },
  { "window.", RENDER, "area" },
  { "music.", READ, "beat" },
  { "music.", CHANGE, "layer play section sting stop" },
  { "audio.", OUTPUT, "effects play set stop volume" },
  { "audio.", RENDER, "playing" },
  { "chronicle.", CHANGE, "ask" },
  { "chronicle.", READ, "rows" },
  { "assets.", ANY, "csv exists json text" },
  { "assets.", CHANGE, "preload" },
  { "assets.", OUTPUT, "ready" },
  { "assets.", RENDER, "screen" },
  { "draw.", RENDER, "blend circle color colour font image layer line polygon rect space text text_size text_style" },
  { "panel:", PANEL, "button label plot slider value" },
}

-- Hints by function, appended to the error about a call in the wrong phase.
local HINTS = {
  ["audio.playing"] = "playback is not part of the world: use a lifetime or world.tick to find out when a sound ends",
  ["shoal.cache"] = "call it in a file's main chunk: local paths = shoal.cache(function() return {} end)",
  ["shoal.cockpit{…}"] = "declare panels and commands in cockpit.lua",
  ["shoal.cockpit(name)"] = "in a system, call the function itself",
  ["world.changes"] = "make the first call in a system in a different phase",
  ["world.explain"] = "world.explain creates a query: call it in a system in a different phase, or in the console",
  ["world.query"] = "world.query creates a query: use world.each or world.sql",
  ["players.me"] = "machines of a match differ: use a system's query or input.down(\"fire\", player) for each player",
  ["window.area"] = "windows differ from machine to machine: use width and height of game.lua",
  ["panel:button"] = "a button's function should only change the world; the panel is then drawn again",
}

-- Rules for games that declare players. Their simulation must be the same on all machines, so functions whose results
-- or effects differ between machines are refused while the simulation runs (SIMULATION). Each row contains in_match,
-- prefix, names and fix. If `in_match` is true, the functions are refused only in a match, because they are harmless
-- while all players are on one machine.
local SIMULATION = parse_mask("start input update demand sequence cache state")
local DRAW = "use it in a system in phase \"render\""
local ALONE = "call it only if not players.in_match()"
local PLAYER_RULES = {
  { false, "input.", "mouse", "use input.mouse(player), input.mouse[player].dx, or an action" },
  { false, "input.", "bindings conflicts device pads", "players use different devices and keys: " .. DRAW },
  { false, "input.", "label prompt", "players use different devices and keys: write [prompt=ACTION] in a text, or "
    .. DRAW },
  { false, "world.", "focus", "each machine has its own focus: handle the event focused, or " .. DRAW },
  { false, "", "tr", "players use different languages: use tr.key, which is resolved when the text is drawn" },
  { false, "tr.", "language", "players use different languages: " .. DRAW },
  { false, "window.", "fullscreen scale vsync", "machines have different windows: " .. DRAW },
  { false, "assets.", "ready", "machines load assets at different times: " .. DRAW },
  { true, "input.", "bind listen listen(action) reset", "bindings belong to a machine: open its player's controls with "
    .. "world.options(player)" },
  { true, "window.", "pointer", DRAW },
  { true, "window.", "fullscreen(on) scale(mode) vsync(on)", "windows belong to a machine: open its player's settings "
    .. "with world.options(player)" },
  { true, "world.", "save load saves delete_save export", "machines have different saves: " .. ALONE },
  { true, "world.", "past timeline ghosts restore", "machines know different pasts: " .. ALONE },
  { true, "world.", "watch", "machines would pause at different times: " .. ALONE },
  { true, "", "reload", "the host reloads a match: save a file on the host, or with --share-code on any machine" },
  { true, "menu.", "host join join_world open", "it would act on every machine: " .. ALONE },
}

---@type table<string, integer> the phases of each function, as a mask
local allowed = {}
local is_in_match = false
local player_rules = {} ---@type table<string, { in_match: boolean, fix: string, phases: integer }>

for _, row in ipairs(ROWS) do
  for name in row[3]:gmatch("%S+") do
    allowed[row[1] .. name] = row[2]
  end
end
for _, row in ipairs(PLAYER_RULES) do
  for name in row[3]:gmatch("%S+") do
    local full_name = row[2] .. name
    player_rules[full_name] = { in_match = row[1], fix = row[4], phases = allowed[full_name]
      or error("base/phases.lua: " .. full_name .. " has no row: add it to ROWS", 0) }
  end
end

-- Refuses the functions that a game with players cannot call while the simulation runs.
---@param in_match boolean also refuses the functions that are allowed while all players are on this machine
function M.restrict_for_players(in_match)
  is_in_match = in_match
  for name, rule in pairs(player_rules) do
    local is_refused = in_match or not rule.in_match
    allowed[name] = is_refused and band(rule.phases, bit.bnot(SIMULATION)) or rule.phases
  end
end

-- Returns true in a match.
---@return boolean
function M.is_in_match()
  return is_in_match
end

-- Returns true in the phases of the simulation, whose results must be the same on all machines of a match.
---@return boolean
function M.is_simulating()
  return band(state.phase_bit, SIMULATION) ~= 0
end

-- For tests: returns the rules of the functions that games with players cannot call.
---@return table<string, { in_match: boolean, fix: string, phases: integer }>
function M.list_player_rules()
  return player_rules
end

-- Adds the row of a plugin's function. `is_pure`: the function does not change the world.
---@param name string
---@param is_pure boolean
function M.add_plugin_function(name, is_pure)
  allowed[name] = is_pure and READ or CHANGE
end

-- For tests: returns the set of phases in which each function is allowed, indexed by the name of the function's row.
---@return table<string, table<string, boolean>>
function M.list_rows()
  local out = {}
  for name, phases in pairs(allowed) do
    out[name] = {}
    for _, phase in ipairs(M.NAMES) do
      out[name][phase] = band(phases, BITS[phase]) ~= 0
    end
  end
  return out
end

-- Throws unless every function of `functions` has a row. Must be called for each table of functions that scripts can
-- reach.
---@param prefix string prefix of the row names, "world."
---@param functions table<string, any>
function M.require_rows(prefix, functions)
  for name, f in pairs(functions) do
    if type(f) == "function" and not allowed[prefix .. name] then
      error("base/phases.lua: " .. prefix .. name .. " has no row: add it to ROWS", 0)
    end
  end
end

-- --- the current phase

local is_exempt = false -- true while engine code runs, which may call functions that game code cannot call

-- Returns a function that calls `f`, an engine function, without the rules for games with players.
---@param f function
---@return function
function M.exempt(f)
  return function(...)
    local outer = is_exempt
    is_exempt = true
    local result = f(...) -- after an error, the next call of `enter` resets `is_exempt`
    is_exempt = outer
    return result
  end
end

-- Makes a phase the current one. Returns the previous phase and its description, so that the caller can restore them.
---@param phase string
---@param description? string description of the phase in messages
---@return string phase the previous phase
---@return string description the previous description
function M.enter(phase, description)
  local previous, previous_description = state.phase, state.where
  phase = PHASE_ALIASES[phase] or phase
  local phase_bit = BITS[phase]
  is_exempt = false
  state.phase, state.phase_bit, state.where = phase, phase_bit, description or DESCRIPTIONS[phase]
  state.loading = phase == "load" or phase == "migrate"
  state.may_change = band(phase_bit, CHANGE) ~= 0
  state.read_only = not state.loading and not state.may_change
  return previous, previous_description
end

-- Resets the current phase, system and entity. Called when the last script function has returned.
function M.stop()
  M.enter("update")
  state.system, state.outside, state.entity = nil, false, 0
end

local function reject_call(name)
  local phases, rule = allowed[name], player_rules[name]
  if rule and band(rule.phases, state.phase_bit) ~= 0 then
    if not is_exempt then
      report.raise("%s cannot be called in %s of %s: %s", name, state.where,
        rule.in_match and "a match" or "a game with players", rule.fix)
    end
    return
  end
  local hint = HINTS[name] and ": " .. HINTS[name] or ""
  if phases == RENDER then
    report.raise("%s can be called only in systems in phase \"render\", not in %s%s", name, state.where, hint)
  elseif phases == LOAD then
    report.raise("%s can be called only while files are loaded, not in %s%s", name, state.where, hint)
  elseif phases == CONSOLE then
    report.raise("%s can be called only between ticks, from the console or --exec, not in %s%s", name, state.where,
      hint)
  elseif phases == PANEL then
    report.raise("%s can be called only while a panel is drawn, not in %s%s", name, state.where, hint)
  elseif state.phase == "load" then
    report.raise("%s: there is no world while files are loaded: call it in game.lua's start or in a system", name)
  end
  report.raise("%s is not allowed in %s%s", name, state.where, hint)
end

-- Throws unless a function may be called in the current phase.
---@param name string name of a function in the table, such as "world.spawn"
function M.check(name)
  if band(allowed[name], state.phase_bit) == 0 then
    reject_call(name)
  end
end

M.enter("load")
return M

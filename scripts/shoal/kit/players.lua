-- Players of a game that declares `multiplayer` in game.lua. The singleton shoal.players contains the players that have
-- joined, so that it is rewound, saved and replayed; game/players.c writes it and emits the events. Names and colours
-- are part of the tick's input sample. Ping and connection differ between machines.
local need = ...
local abi = need("base/abi")
local phases = need("base/phases")
local report = need("base/report")
local state = need("base/vm_state")
local components = need("schema/component")
local schema = need("schema/schema")
local event = need("world/event")
local room = need("world/room")
local ffi = abi.ffi

local M = {}
local SINGLE = "shoal.players"
local COLOURS = 8 -- equal to PLAYER_COLOURS in platform/player_input.h

-- Declares the singleton and the events. Returns the singleton's schema; nil in a game without players.
---@return engine.Schema?
function M.declare()
  if not state.declares_players() then
    return nil
  end
  for _, name in ipairs { "player_joined", "player_left" } do
    event.add_declared(schema.define(name, "event", { { "player", "i32" } }), { name }, true)
  end
  local declared = schema.define(SINGLE, "single", { { "joined", "u32" } })
  components.add_declared(declared).builtin = true
  return declared
end

-- Events of devices and windows, which occur on a single machine, and what to use instead.
local DEVICE_EVENTS = { fullscreen_changed = "read window.fullscreen() in a system in phase \"render\"",
  ["shoal.window"] = "read window.scale() and similar functions in a system in phase \"render\"" }
for _, name in ipairs { "key_pressed", "key_released", "pad_pressed", "pad_released", "mouse_pressed", "mouse_released",
  "mouse_wheel" } do
  DEVICE_EVENTS[name] = "bind an action in input.lua, and use input.pressed(\"fire\", player)"
end
for _, name in ipairs { "pad_connected", "pad_disconnected" } do
  DEVICE_EVENTS[name] = "handle player_joined and player_left"
end

-- Raises an error if a system of a game that declares players handles an event of a device.
---@param systems engine.System[]
function M.check_events(systems)
  for _, declared_system in ipairs(state.declares_players() and systems or {}) do
    for name in pairs(declared_system.declaration.on or {}) do
      local event_type = event.by_name[name]
      -- `on_demand` is nil if the game declares an event of its own with this name.
      if DEVICE_EVENTS[name] and event_type and event_type.on_demand then
        report.fail { message = string.format("%s occurs on a single machine, so a game with players cannot handle it: "
          .. "%s", name, DEVICE_EVENTS[name]), file = declared_system.at.file,
          line = report.find_line(declared_system.at.text, name), piece = "system " .. declared_system.name }
      end
    end
  end
end

local function check_declared(name)
  phases.check(name)
  if not state.declares_players() then
    report.raise("%s: the game declares no players: add multiplayer = { players = { 2, 8 } } to game.lua", name)
  end
end

local function is_joined(number)
  return bit.band(components.by_name[SINGLE].get_row.joined(0), bit.lshift(1, number - 1)) ~= 0
end

-- Converts 0xRRGGBB to components in [0, 1].
local function split_colour(colour)
  return bit.rshift(colour, 16) / 255, bit.band(bit.rshift(colour, 8), 255) / 255, bit.band(colour, 255) / 255
end

local FIELDS = { "number", "name", "colour", "account", "ping", "connected", "is_local" }
local NEEDS_RENDER = { ping = true, connected = true, is_local = true }

-- Metatable of entries: reading a missing field is an error.
local Entry = { __metatable = false, __index = function(_, name)
  if NEEDS_RENDER[name] then
    report.raise("%s of a player can be read only in systems with phase = \"render\", because it is not the same on "
      .. "all machines", name)
  end
  report.raise("a player has no field %s%s; available: %s", report.show(name), report.suggest(name, FIELDS),
    table.concat(FIELDS, ", "))
end }

-- Returns the entry of a player. Only systems in phase "render" can read the connection, because it is not the same on
-- all machines.
local function create_entry(number)
  local info, status = abi.input.player_infos[number - 1], abi.player_status[number - 1]
  local name = ffi.string(info.name)
  local colour = info.colour ~= 0 and info.colour or abi.player_colours[(number - 1) % COLOURS]
  local r, g, b = split_colour(colour)
  local entry = { number = number, name = name ~= "" and name or "Player " .. number,
    colour = { r = r, g = g, b = b, a = 1 }, account = room.get_account(number) }
  if state.is_drawing() then
    entry.ping, entry.connected, entry.is_local = status.ping_ms, status.connected ~= 0, status["local"] ~= 0
  end
  return setmetatable(entry, Entry)
end

-- Raises an error unless the player can move to a room of this name.
local function check_move(number, name)
  local own = room.get_name()
  if not own then
    report.raise("players.move: this world is not a room of a served world: call it only if world.room ~= nil")
  elseif type(number) ~= "number" or number % 1 ~= 0 or number < 1 or number > state.config.max_players then
    report.raise("players.move: the player must be an integer from 1 to %d, got %s", state.config.max_players,
      report.describe(number))
  elseif not is_joined(number) then
    report.raise("players.move: player %d does not take part: move only players of players.list()", number)
  elseif name == own then
    report.raise("players.move: player %d is already in the room %s: choose a different room", number, own)
  end
  local names = room.list_names()
  if not names[name] then
    report.raise("players.move: the world has no room %s%s; available: %s", report.show(name),
      report.suggest(name, names), report.join_names(state.game.serve.rooms))
  end
  for i = 0, abi.requests.move_count - 1 do
    if abi.requests.moves[i].player == number then
      report.raise("players.move: player %d already moves to the room %s in this tick: move a player once per tick",
        number, ffi.string(abi.requests.moves[i].room))
    end
  end
end

M.api = {
  in_match = function()
    phases.check("players.in_match")
    return phases.is_in_match()
  end,
  list = function()
    check_declared("players.list")
    local out = {}
    for number = 1, state.config.max_players do
      out[#out + 1] = is_joined(number) and create_entry(number) or nil
    end
    return out
  end,
  me = function()
    check_declared("players.me")
    local first
    for number = 1, state.config.max_players do
      local position = abi.player_status[number - 1]["local"]
      if position ~= 0 and is_joined(number) and (not first or position < first.position) then
        first = { number = number, position = position }
      end
    end
    return first and create_entry(first.number) or nil
  end,
  -- Makes a player leave for another room of the served world. Only the room's process applies the request.
  move = function(number, name)
    check_declared("players.move")
    check_move(number, name)
    local requests = abi.requests
    local move = requests.moves[requests.move_count]
    move.player, move.room = number, name
    requests.move_count = requests.move_count + 1
  end,
  -- Makes players 1 to `count` local players from the next tick on. Ignored in a match.
  set_local = function(count)
    check_declared("players.set_local")
    local min, max = state.config.min_players, state.config.max_players
    if type(count) ~= "number" or count % 1 ~= 0 or count < min or count > max then
      report.raise("players.set_local: the number of players must be an integer from %d to %d, got %s", min, max,
        report.describe(count))
    end
    abi.requests.players = count
  end,
}

return M

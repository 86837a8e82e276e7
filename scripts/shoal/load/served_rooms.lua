-- Checks the rooms of a served world: `serve` in game.lua (engine/docs/served_worlds.md).
local need = ...
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")

local EXAMPLE = "serve = { rooms = { town = { scene = \"town\" } } }"
local SETTINGS = { rooms = true, accounts = true } -- fields of `serve`
-- Fields of a room, with their types. The limits equal SERVED_MAX_… in script/game_config.h.
local FIELDS = { scene = "string", count = "number", players = "number", enter = "boolean", sleeps = "boolean" }
local LIMITS = { count = 64, players = 32 }
local MAX_KINDS, MAX_ROOMS, MAX_NAME_BYTES = 64, 256, 31

---@class engine.ServedRooms
local M = {}

---@class engine.ServedRoom
---@field name string name in game.lua; a room of several copies is named `name`-N
---@field scene string "": the game's first scene
---@field count integer number of copies; 0: one room without a number
---@field players integer maximum number of players
---@field enter boolean true if players may join the room directly
---@field sleeps boolean true if the room ends while it has no players

local function check_name(name, fail)
  if type(name) ~= "string" or not name:match("^%l[%l%d_]*$") or #name > MAX_NAME_BYTES then
    fail({ "rooms" }, "the name of a room must consist of 1 to %d lowercase letters, digits and _, and begin with a "
      .. "letter, got %s", MAX_NAME_BYTES, report.show(name))
  end
end

local function check_field(name, key, v, fail)
  local kind = FIELDS[key]
  if not kind then
    fail({ "rooms", name, key }, "the room %s has no field %s%s; available: %s", name, report.show(key),
      report.suggest(key, FIELDS), report.join_names(FIELDS))
  elseif type(v) ~= kind then
    fail({ "rooms", name, key }, "%s of the room %s must be a %s, got %s", key, name, kind, report.describe(v))
  elseif LIMITS[key] and (v % 1 ~= 0 or v < 1 or v > LIMITS[key]) then
    fail({ "rooms", name, key }, "%s of the room %s must be an integer from 1 to %d, got %s", key, name, LIMITS[key],
      report.describe(v))
  end
end

local function check_room(name, room, fail)
  check_name(name, fail)
  if type(room) ~= "table" then
    fail({ "rooms", name }, "the room %s must be a table, got %s: use %s = { scene = \"%s\" }", name,
      report.describe(room), name, name)
  end
  for _, key in ipairs(sorted_keys(room)) do
    check_field(name, key, room[key], fail)
  end
end

local function check_table(serve, fail)
  for _, key in ipairs(sorted_keys(serve)) do
    if not SETTINGS[key] then
      fail({ key }, "serve has no field %s%s; available: %s", report.show(key), report.suggest(key, SETTINGS),
        report.join_names(SETTINGS))
    end
  end
  if serve.accounts ~= nil and serve.accounts ~= "invite" then
    fail({ "accounts" }, "serve.accounts must be \"invite\", got %s: remove it if everybody may join",
      report.show(serve.accounts))
  end
  if type(serve.rooms) ~= "table" or next(serve.rooms) == nil then
    fail({}, "serve.rooms must be a table with at least one room, got %s: %s", report.describe(serve.rooms),
      EXAMPLE)
  end
end

-- Calls `fail` if the rooms exceed a limit, or if no player could ever enter one of them.
local function check_totals(rooms, fail)
  local total, can_enter = 0, false
  for _, room in pairs(rooms) do
    total, can_enter = total + (room.count or 1), can_enter or room.enter ~= false
  end
  local kinds = #sorted_keys(rooms)
  if kinds > MAX_KINDS then
    fail({ "rooms" }, "serve.rooms has %d names: at most %d are possible", kinds, MAX_KINDS)
  elseif total > MAX_ROOMS then
    fail({ "rooms" }, "serve.rooms has %d rooms in total: at most %d are possible", total, MAX_ROOMS)
  elseif not can_enter then
    fail({ "rooms" }, "all rooms have enter = false, so no player could join the world: remove it from one room")
  end
end

-- Checks `serve` of game.lua. `has_players`: the game declares `multiplayer`. `fail` reports a problem at the line that
-- report.find_line finds for the names inside `serve`.
---@param serve table
---@param has_players boolean
---@param fail fun(names: any[], format: string, ...)
function M.check(serve, has_players, fail)
  if not has_players then
    fail({}, "serve requires players: add multiplayer = { players = { 1, 8 } }")
  end
  check_table(serve, fail)
  for _, name in ipairs(sorted_keys(serve.rooms)) do
    check_room(name, serve.rooms[name], fail)
  end
  check_totals(serve.rooms, fail)
end

-- Returns the rooms for C, sorted by name. `serve` has passed M.check. `players`: maximum number of players in rooms
-- that do not set their own.
---@param serve table
---@param players integer
---@return engine.ServedRoom[]
function M.list(serve, players)
  local list = {}
  for _, name in ipairs(sorted_keys(serve.rooms)) do
    local room = serve.rooms[name]
    list[#list + 1] = { name = name, scene = room.scene or "", count = room.count or 0,
      players = room.players or players, enter = room.enter ~= false, sleeps = room.sleeps ~= false }
  end
  return list
end

return M

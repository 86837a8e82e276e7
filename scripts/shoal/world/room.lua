-- The name of this room of a served world, and the accounts of its players, in games that declare `serve` in game.lua.
-- The process of the room writes the singleton shoal.room (game/room_state.c), which snapshots carry to all machines.
local need = ...
local state = need("base/vm_state")
local components = need("schema/component")
local schema = need("schema/schema")
local event = need("world/event")

local M = {}
local SINGLE = "shoal.room"
local MAX_PLAYERS = 32 -- equal to PLAYER_MAX in platform/player_input.h

-- Declares the singleton and the event `woken`. Returns the singleton's schema; nil in a game without served rooms.
---@return engine.Schema?
function M.declare()
  if not state.game.serve then
    return nil
  end
  event.add_declared(schema.define("woken", "event", { { "seconds", "f64" } }), { "woken" }, true)
  local fields = { { "name", "string" }, { "away", "f64" } }
  for player = 1, MAX_PLAYERS do
    fields[#fields + 1] = { "account_" .. player, "f64" }
  end
  fields[#fields + 1] = { "items", "f64" } -- number of the newest item (owned/owned.h)
  fields[#fields + 1] = { "parts", "string" } -- parts of an arrival (game/player_items.h)
  local declared = schema.define(SINGLE, "single", fields)
  components.add_declared(declared).builtin = true
  return declared
end

-- Returns the room's name; nil if the world is not a room.
---@return string?
function M.get_name()
  local single = components.by_name[SINGLE]
  local name = single and single.get_row.name(0)
  return name ~= "" and name or nil
end

-- Returns the number of a player's account; 0 if the world is not a room.
---@param player integer
---@return integer
function M.get_account(player)
  return M.get_name() and components.by_name[SINGLE].get_row["account_" .. player](0) or 0
end

-- Returns the names of the rooms of the world, with and without their numbers, as keys.
---@return table<string, true>
function M.list_names()
  local names = {}
  for name, declared in pairs(state.game.serve.rooms) do
    names[name] = true
    for number = 1, declared.count or 0 do
      names[name .. "-" .. number] = true
    end
  end
  return names
end

return M

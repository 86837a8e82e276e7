-- The name of this room of a served world, in games that declare `serve` in game.lua. The process of the room writes
-- the singleton shoal.room (game/room_state.c), which snapshots carry to all machines.
local need = ...
local state = need("base/vm_state")
local components = need("schema/component")
local schema = need("schema/schema")
local event = need("world/event")

local M = {}
local SINGLE = "shoal.room"

-- Declares the singleton and the event `woken`. Returns the singleton's schema; nil in a game without served rooms.
---@return engine.Schema?
function M.declare()
  if not state.game.serve then
    return nil
  end
  event.add_declared(schema.define("woken", "event", { { "seconds", "f64" } }), { "woken" }, true)
  local declared = schema.define(SINGLE, "single", { { "name", "string" }, { "away", "f64" } })
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

return M

-- The component `owned` of games that declare `serve` in game.lua: marks entities that belong to a player's account
-- (owned/owned.h). `item` is the permanent number of the entity, which only the engine writes.
local need = ...
local state = need("base/vm_state")
local components = need("schema/component")
local schema = need("schema/schema")

local M = {}
local MAX_PLAYERS = 32 -- equal to PLAYER_MAX
local READ_ONLY = 2    -- equal to FIELD_READ_ONLY in schema/schema.h

-- Declares the component. Returns its schema; nil in a game without served rooms.
---@return engine.Schema?
function M.declare()
  if not state.game.serve then
    return nil
  end
  local declared = schema.define("owned", "component",
    { { "player", "u8", 0, max = MAX_PLAYERS }, { "item", "f64", 0, flags = READ_ONLY } })
  local component = components.add_declared(declared)
  component.builtin = true
  for _, field in ipairs(component.fields) do
    if field.name == "player" then
      field.range.is_noted = true -- the limit of a group is checked when the system ends
    end
  end
  return declared
end

---@return boolean
function M.is_declared()
  return state.game.serve ~= nil
end

return M

-- The players of the lobby, by number.
local M = {}

-- Returns a widget of a player, such as "seat" or "ready_box".
---@param part string
---@param player integer
function M.find(part, player) return world.find(part .. "_" .. player) end

-- Adds a player to the list after the player has joined.
---@param player integer
---@param name string
function M.add(player, name)
  M.find("name_entry", player).entry.text = name
  M.find("seat", player).widget.visible = true
  M.find("ready_box", player).widget.focused = true
end

function M.remove(player)
  M.find("seat", player).widget.visible = false
  M.find("ready_box", player).checkbox.value = false
end

-- Sets a player's name to the text of the player's entry. If the name is too long, the entry then shows a shorter one.
---@param player integer
function M.rename(player)
  local entry = M.find("name_entry", player).entry
  local name = lobby.describe(player, entry.text)
  if name ~= entry.text:match("^ *(.-) *$") then entry.text = name end
end

function M.is_ready(player) return M.find("ready_box", player).checkbox.value end

-- Returns the number of players, and the number of ready players.
function M.count()
  local joined, ready = 0, 0
  for e in world.each("seat") do
    if e.widget.visible then
      joined = joined + 1
      ready = ready + (M.is_ready(e.seat.player) and 1 or 0)
    end
  end
  return joined, ready
end

return M

-- The players of the lobby, by number.
local text = require "lib.text"
local M = {}
local COLOURS = 8

-- Returns a widget of a player, such as "seat" or "ready_box".
---@param part string
---@param player integer
function M.find(part, player) return world.find(part .. "_" .. player) end

-- Returns the number of this colour in the palette.
local function find_colour(colour)
  for i = 1, COLOURS do
    local r, g, b = lobby.colour(i)
    if r == colour.r and g == colour.g and b == colour.b then return i end
  end
  return 1
end

local function is_taken(colour, player)
  for e in world.each("seat") do
    if e.seat.colour == colour and e.seat.player ~= player then return true end
  end
  return false
end

-- Returns the next colour after `colour` that no other player has.
local function find_free_colour(colour, player)
  for i = 1, COLOURS do
    local candidate = (colour + i - 1) % COLOURS + 1
    if not is_taken(candidate, player) then return candidate end
  end
  return colour
end

local function describe(player)
  local name = text.clean_name(M.find("name_entry", player).entry.text)
  lobby.describe(player, name, M.find("seat", player).seat.colour)
end

-- Adds a player to the list after the player has joined.
function M.add(player)
  local seat = M.find("seat", player)
  for _, entry in ipairs(players.list()) do
    if entry.number == player then
      local colour = find_colour(entry.colour)
      seat.seat.colour = is_taken(colour, player) and find_free_colour(colour, player) or colour
      M.find("name_entry", player).entry.text = entry.name
    end
  end
  seat.widget.visible = true
  M.find("ready_box", player).widget.focused = true
  describe(player)
end

function M.remove(player)
  local seat = M.find("seat", player)
  seat.seat.colour, seat.widget.visible = 0, false
  M.find("ready_box", player).checkbox.value = false
end

function M.choose_next_colour(player)
  local seat = M.find("seat", player).seat
  seat.colour = find_free_colour(seat.colour, player)
  describe(player)
end

function M.rename(player) describe(player) end

function M.is_ready(player) return M.find("ready_box", player).checkbox.value end

-- Returns the number of players, and the number of those who are ready.
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

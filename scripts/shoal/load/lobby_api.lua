-- Functions that only the lobby of a match (scripts/shoal/lobby, otherwise an ordinary game folder) can call. If the
-- lobby runs outside a match, requests have no effect.
local need, native = ...
local abi = need("base/abi")
local phases = need("base/phases")

local shown = native.lobby
  or { title = "", min_players = 1, max_players = 8, name_characters = 24, addresses = "", has_menu = true, key = "" }

---@class engine.lobby
---@field title string the game's title
---@field min_players integer minimum number of players
---@field max_players integer
---@field name_characters integer maximum length of a player's name
local M = { title = shown.title, min_players = shown.min_players, max_players = shown.max_players,
  name_characters = shown.name_characters }

-- Sets the name of a player from the next tick on, in the lobby and in the game. Returns the name without spaces at
-- both ends, shortened if it is too long. If `name` is invalid, the player gets the default name, and the function
-- returns "".
---@param player integer
---@param name string
---@return string
function M.describe(player, name)
  phases.check("lobby.describe")
  return native.rename_player(player, name)
end

-- Gives a player the next unused colour of the palette from the next tick on.
---@param player integer
function M.next_colour(player)
  phases.check("lobby.next_colour")
  native.choose_next_colour(player)
end

-- Ends the lobby on all machines, and begins the game.
function M.begin()
  phases.check("lobby.begin")
  abi.requests.begin_match = true
end

-- Makes a player's machine leave the match. If it is the host's machine, the match ends.
---@param player integer
function M.leave(player)
  phases.check("lobby.leave")
  abi.requests.leave_match = player
end

-- Returns the host's addresses, separated by commas; "" on machines that have joined.
---@return string
function M.addresses()
  phases.check("lobby.addresses")
  return shown.addresses
end

-- Returns true if the list of matches in the menu contains this match. Packages have no menu.
---@return boolean
function M.has_menu()
  phases.check("lobby.has_menu")
  return shown.has_menu
end

-- Opens the list of players on the machine of a player, with the actions that this machine may execute, such as muting.
---@param player integer
function M.show_players(player)
  phases.check("lobby.show_players")
  abi.requests.players_of = bit.bor(abi.requests.players_of, bit.lshift(1, player - 1))
end

-- Returns true if this machine hides the chat lines of a player.
---@param player integer
---@return boolean
function M.is_muted(player)
  phases.check("lobby.is_muted")
  return abi.player_status[player - 1].muted ~= 0
end

-- Returns the code of the host's key; "" on machines that have joined.
---@return string
function M.key()
  phases.check("lobby.key")
  return shown.key
end

return M

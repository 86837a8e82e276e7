-- Functions that only the lobby of matches (scripts/shoal/lobby, otherwise an ordinary game folder) can call. Without a
-- match, its requests have no effect.
local need, native = ...
local abi = need("base/abi")
local phases = need("base/phases")
local report = need("base/report")
local players = need("kit/players")
local ffi = abi.ffi

local shown = native.lobby or { title = "", min_players = 1, max_players = 8, invitation = "", key = "" }

---@class engine.lobby
---@field title string of the game
---@field min_players integer number of players with whom the game can begin
---@field max_players integer
local M = { title = shown.title, min_players = shown.min_players, max_players = shown.max_players }

-- Returns a colour of the palette, as components in [0, 1].
---@param number integer from 1 to 8
---@return number r, number g, number b
function M.colour(number)
  return players.split_colour(abi.player_colours[number - 1])
end

-- Sets the name and the colour of a player from the next tick on, in the lobby and in the game. An invalid name counts
-- as no name.
---@param player integer
---@param name string at most 24 characters and 27 bytes; "" for the default
---@param colour integer number in the palette
function M.describe(player, name, colour)
  phases.check("lobby.describe")
  local info = abi.player_infos[player - 1]
  if #name >= ffi.sizeof(info.name) or colour % 1 ~= 0 or colour < 1 or colour > 8 then
    report.raise("lobby.describe: the name or the colour is out of range: %s, %s", report.describe(name),
      report.describe(colour))
  end
  ffi.fill(info.name, ffi.sizeof(info.name))
  ffi.copy(info.name, name, #name)
  info.colour = abi.player_colours[colour - 1]
end

-- Ends the lobby on all machines, and begins the game.
function M.begin()
  phases.check("lobby.begin")
  abi.requests.begin_match = true
end

-- Lets the machine of a player leave the match. The host's machine ends the match.
---@param player integer
function M.leave(player)
  phases.check("lobby.leave")
  abi.requests.leave_match = player
end

-- Returns the command with which others join the match; "" without a match.
---@return string
function M.invitation()
  phases.check("lobby.invitation")
  return shown.invitation
end

-- Returns the code of the host's key; "" on other machines.
---@return string
function M.key()
  phases.check("lobby.key")
  return shown.key
end

return M

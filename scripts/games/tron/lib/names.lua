-- Names of the sides: in a match, those of the players, otherwise those of the game.
local looks = assets.json "looks.json"
local MAX_CHARACTERS = 12 -- longer names would not fit into the banners

local function shorten(name)
  if name:sub(1, 1) == "@" then name = " " .. name end -- not a reference to a string
  if utf8.len(name) <= MAX_CHARACTERS then return name end
  return name:sub(1, utf8.offset(name, MAX_CHARACTERS) - 1) .. "…"
end

local M = {}

-- Returns the name of a side, which has the number of its player.
---@param side integer
---@return string
function M.get(side)
  for _, player in ipairs(players.in_match() and players.list() or {}) do
    if player.number == side then return shorten(player.name) end
  end
  return looks.names[side]
end

return M

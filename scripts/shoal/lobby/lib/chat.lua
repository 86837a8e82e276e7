-- The lines of the chat, the newest at the bottom.
local text = require "lib.text"
local M = {}
local SPEAKER_CHARACTERS = 14

local function move_line(from, to)
  for _, part in ipairs { "speaker_", "said_" } do
    local source, target = world.find(part .. from).label, world.find(part .. to).label
    target.text, target.style, target.colour = source.text, source.style, source.colour
  end
  world.find("said_" .. to).chat_line.player = world.find("said_" .. from).chat_line.player
end

-- Adds a line at the bottom; the other lines move up, and the topmost one disappears.
---@param speaker string "" for a message of the lobby
---@param colour { r: number, g: number, b: number }? the speaker's colour
---@param said string
---@param style string
---@param player integer? the speaker's number; nil for a message of the lobby
function M.add(speaker, colour, said, style, player)
  for i = 2, text.LINES do move_line(i, i - 1) end
  local name, message = world.find("speaker_" .. text.LINES).label, world.find("said_" .. text.LINES).label
  name.text = text.show(text.shorten(speaker, SPEAKER_CHARACTERS))
  name.colour = colour and shoal.vec4(colour.r, colour.g, colour.b, 1) or shoal.vec4(0, 0, 0, 0)
  message.text, message.style = said, style
  world.find("said_" .. text.LINES).chat_line.player = player or 0
end

return M

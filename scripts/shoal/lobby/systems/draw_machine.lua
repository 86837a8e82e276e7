-- Draws the content that differs between machines: the pings, and on the host, the address and the key.
local LAYER = 1001 -- draws in front of the widgets, which have layer 0, and behind the match menu's question

local function draw_ping(entry)
  local place = world.find("ping_" .. entry.number).widget
  local text = entry.connected and math.max(entry.ping, 1) .. " ms" or tr "shoal.lobby_offline"
  draw.color(0.44, 0.53, 0.65, 1)
  draw.text(text, place.at_x, place.at_y + place.at_height / 2 - 10, 16)
end

-- The host's addresses identify a household, so they stay hidden until the player on the host's machine shows them. In
-- a package they are always shown, because its menu has no list of matches from which players could join.
local function draw_address()
  local place = world.find("address").widget
  local text = tr("shoal.lobby_key", { code = lobby.key() })
  if lobby.addresses() == "" then return end
  if world.find("address_box").checkbox.value or not lobby.has_menu() then
    text = lobby.addresses() .. "     " .. text
  end
  draw.color(0.76, 0.82, 0.9, 1)
  draw.text(text, place.at_x, place.at_y, 16)
end

-- Covers the chat lines of players whom this machine has muted: the lines are part of the world, which all machines
-- share.
local function cover_muted_lines()
  for e in world.each("chat_line") do
    local place, player = e.widget, e.chat_line.player
    if player > 0 and lobby.is_muted(player) then
      draw.color(0.04, 0.06, 0.12, 1) -- the chat's background
      draw.rect(place.at_x, place.at_y, place.at_width, place.at_height)
      draw.color(0.44, 0.53, 0.65, 1)
      draw.text("…", place.at_x, place.at_y, 16)
    end
  end
end

return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(LAYER)
    for _, entry in ipairs(players.list()) do
      if not entry.is_local then draw_ping(entry) end
    end
    draw_address()
    cover_muted_lines()
  end,
}

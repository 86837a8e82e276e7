-- Draws the content that differs between machines: the pings, and the command for joining.
local LAYER = 1001 -- in front of the widgets of layer 0, behind the question

local function draw_ping(entry)
  local place = world.find("ping_" .. entry.number).widget
  local text = entry.connected and math.max(entry.ping, 1) .. " ms" or tr "shoal.lobby_offline"
  draw.color(0.44, 0.53, 0.65, 1)
  draw.text(text, place.at_x, place.at_y + place.at_height / 2 - 10, 16)
end

local function draw_invitation()
  local place = world.find("invitation").widget
  draw.color(0.76, 0.82, 0.9, 1)
  draw.font("fonts/mono.ttf")
  draw.text(lobby.invitation(), place.at_x, place.at_y, 17)
  draw.font()
  if lobby.key() ~= "" then
    draw.color(0.44, 0.53, 0.65, 1)
    draw.text(tr("shoal.lobby_key", { code = lobby.key() }), place.at_x, place.at_y + 28, 16)
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
    draw_invitation()
  end,
}

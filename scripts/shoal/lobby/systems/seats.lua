-- Updates the players in the lobby: joining, leaving, names, colours, and whether they are ready.
local chat = require "lib.chat"
local seats = require "lib.seats"
local text = require "lib.text"
local NAME_CHARACTERS = 20

local function find_entry(player)
  for _, entry in ipairs(players.list()) do
    if entry.number == player then return entry end
  end
end

-- Logs that a player has joined or left, and adds a chat line. `change`: "joined" or "left".
local function announce(change, name)
  log.info("lobby: %s has %s", name, change)
  chat.add("", nil, tr.key("shoal.lobby_" .. change, { name = name }), "note")
end

local function update_seat(entry)
  local is_ready, state = seats.is_ready(entry.number), seats.find("state", entry.number).label
  if is_ready ~= (state.style == "ready") then
    log.info("lobby: %s is %s", entry.name, is_ready and "ready" or "not ready")
  end
  seats.find("player_name", entry.number).label.text = text.show(text.shorten(entry.name, NAME_CHARACTERS))
  seats.find("swatch", entry.number).bar.colour = shoal.vec4(entry.colour.r, entry.colour.g, entry.colour.b, 1)
  state.text = is_ready and "@shoal.lobby_ready" or "@shoal.lobby_not_ready"
  state.style = is_ready and "ready" or "state"
end

return {
  phase = "input",
  on = {
    player_joined = function(ev)
      for i = 1, ev.count do
        local entry = find_entry(ev.player[i])
        if entry then
          seats.add(entry.number, entry.name)
          announce("joined", entry.name)
        end
      end
    end,
    player_left = function(ev)
      for i = 1, ev.count do
        announce("left", seats.find("player_name", ev.player[i]).label.text)
        seats.remove(ev.player[i])
      end
    end,
    name_edited = function(ev)
      for i = 1, ev.count do seats.rename(ev.player[i]) end
    end,
    players_asked = function(ev)
      for i = 1, ev.count do lobby.show_players(ev.player[i]) end
    end,
    colour_chosen = function(ev)
      for i = 1, ev.count do lobby.next_colour(ev.player[i]) end
    end,
  },
  update = function()
    for _, entry in ipairs(players.list()) do
      update_seat(entry)
      if entry.number == 1 then -- the list of matches in the menu shows the name of the host's first player
        world.find("invitation").label.text = tr.key("shoal.lobby_find", { name = text.show(entry.name) })
      end
    end
  end,
}

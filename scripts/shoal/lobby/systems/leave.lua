-- Asks whether a player wants to leave the match.
local function find_question(player)
  for e in world.each("leave_question") do
    if e.leave_question.player == player then return e end
  end
end

local function ask(player)
  if find_question(player) then return end
  local question = world.spawn("question", { leave_question = { player = player },
    widget = { player = player, layer = 5 } })
  question:child("question_text").label.text = player == 1 and "@shoal.ask_end" or "@shoal.ask_leave"
  question:child("leave_button").button.text = player == 1 and "@shoal.end_match" or "@shoal.lobby_leave"
  log.info("lobby: asks whether player %d leaves", player)
end

local function for_each_player(ev, handle)
  for i = 1, ev.count do handle(ev.player[i]) end
end

local function close(player)
  local question = find_question(player)
  if question then question:destroy() end
end

return {
  phase = "input",
  update = function()
    for _, entry in ipairs(players.list()) do
      if input.pressed("leave", entry.number) then ask(entry.number) end
    end
  end,
  on = {
    leave_asked = function(ev) for_each_player(ev, ask) end,
    leave_declined = function(ev) for_each_player(ev, close) end,
    leave_chosen = function(ev) for_each_player(ev, lobby.leave) end,
    player_left = function(ev) for_each_player(ev, close) end,
  },
}

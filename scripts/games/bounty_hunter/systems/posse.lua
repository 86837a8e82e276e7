-- Adds and removes players. A player who joins during a game takes over an AI hunter or, if no AI hunter is left, waits
-- for the next game. When a player leaves, the AI controls the hunter again.
local function find_stash(player)
  for e in world.each("stash") do
    if e.stash.player == player then return e end
  end
end

-- Gives the stash and its hunter to a player, or to the AI if `player` is 0.
local function assign(stash, player)
  stash.stash.player = player
  for e in world.each("hunter") do
    if e.hunter.home == stash then e:enter(player > 0 and "ridden" or "seeking") end
  end
end

local function change(ev, has_joined)
  local match = world.single.match
  if match.players == 0 then return end -- no player has a hunter on the title screen and in the demo
  for i = 1, ev.count do
    local stash = find_stash(has_joined and 0 or ev.player[i])
    if stash and not (has_joined and find_stash(ev.player[i])) then assign(stash, has_joined and ev.player[i] or 0) end
  end
  match.players = #players.list()
end

return {
  phase = "input",
  before = { "flow" },
  on = {
    player_joined = function(ev) change(ev, true) end,
    player_left = function(ev) change(ev, false) end,
    more_players = function() players.set_local(#players.list() % 4 + 1) end,
  },
  update = function()
    if world.single.match.phase ~= "title" then return end
    for e in world.each("button") do
      if e.button.emits == "more_players" then
        e.button.text = tr.key("menu.players", { n = #players.list() })
        e.widget.visible = not players.in_match() -- in a network match, players join from their own machines
      end
    end
  end,
}

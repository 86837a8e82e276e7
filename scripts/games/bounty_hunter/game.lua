-- Bounty Hunter: four hunters carry bounties to their stashes and ram each other to steal them. The poorest hunter
-- leaves town at sunset. Up to four are players.
-- The rules are in systems/touch.lua and systems/stashes.lua, the AI is in
-- systems/seek.lua, systems/chase.lua, systems/return_home.lua and systems/outlaw_moods.lua.
return {
  title = "Bounty Hunter", width = 1280, height = 720, addons = { "menu", "pause" },
  window = { icon = "icon.png", scale = "expand", expand_in_match = true },
  multiplayer = { players = { 1, 4 } },
  layers = { "hunter", "outlaw", "bounty", "rock" }, -- collision layers
  buses = { jingle = 1, music = { volume = 0.75, under = "jingle", duck = 0.25, release = 1.2 } },
  start = function() world.spawn("eye") world.emit("go", { to = "title" }) end,
}

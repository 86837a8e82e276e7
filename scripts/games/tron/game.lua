-- Tron, titled Trace in the game: light cycles leave walls behind them; a cycle that hits a wall is out. One player
-- competes with more and more rivals, or two players compete on one screen. Without input, the game plays by itself.
-- The rules are in systems/drive.lua and systems/gems.lua, the AI is in systems/pilot.lua; arenas, colours and effects
-- are data in assets/.
return {
  title = "Trace", width = 1280, height = 720, addons = { "menu", "pause" },
  window = { icon = "icon.png", scale = "expand" },
  multiplayer = { players = { 2, 2 } },
  buses = { jingle = 1, engines = 0.6, music = { volume = 0.7, under = "jingle", duck = 0.3, release = 1 } },
  start = function() world.spawn("eye") world.emit("go", { to = "title" }) end,
}

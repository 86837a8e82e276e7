-- Tron: light cycles leave walls behind, and who hits one is out. One player against ever more rivals, two on one
-- screen, or nobody: left alone it plays by itself. The rules are in systems/drive.lua and systems/gems.lua, the
-- machine's wits in systems/pilot.lua; arenas, colours and effects are data in assets/.
return {
  title = "Tron", width = 1280, height = 720,
  buses = { jingle = 1, engines = 0.6, music = { volume = 0.7, under = "jingle", duck = 0.3, release = 1 } },
  start = function() world.spawn("eye") world.emit("go", { to = "title" }) end,
}

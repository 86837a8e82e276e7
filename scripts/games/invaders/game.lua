-- Invaders: a descending fleet against one cannon. Without input, the game plays by itself. The rules are in
-- systems/march.lua, systems/cannon.lua and systems/hits.lua, the effects in systems/juice.lua.
return {
  title = "Invaders", width = 1280, height = 720,
  layers = { "shot", "bomb", "invader", "cell", "cannon", "saucer" }, -- collision layers; cells: parts of the bunkers
  buses = { jingle = 1, music = { volume = 0.8, under = "jingle", duck = 0.3, release = 1 } },
  start = function() world.spawn("eye") world.emit("go", { to = "title" }) end,
}

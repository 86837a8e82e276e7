-- Invaders, titled “Intruders” in the game: a descending fleet against one cannon. Without input, the game plays by
-- itself. The rules are in behaviours/cannon.lua, systems/march.lua, systems/boss.lua, systems/hits.lua and
-- systems/powerups.lua, the effects in systems/juice.lua. The title, the battle and the menus are scenes.
return {
  title = "Intruders", width = 1280, height = 720, addons = { "menu", "pause" },
  window = { icon = "icon.png", scale = "expand" },
  -- collision layers; cells: parts of the bunkers
  layers = { "shot", "bomb", "invader", "cell", "cannon", "saucer", "powerup" },
  buses = { jingle = 1, music = { volume = 0.8, under = "jingle", duck = 0.3, release = 1 } },
  start = function() world.emit("go", { to = "title" }) end,
}

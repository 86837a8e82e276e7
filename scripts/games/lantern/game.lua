-- Lantern: a small top-down adventure, and the sample game for learning Shoal.
--
-- Read it in this order:
--
--   components.lua, assemblages.lua   components and templates
--   systems/player.lua, walk.lua      input becomes an intent, and an intent becomes movement
--   systems/ghost.lua, contacts.lua   from a contact to damage
--   systems/snuffer.lua               a boss as a state machine
--   sequences/                        cutscenes
--
-- The rooms are scenes (scenes/hall.lua) with Tiled maps (assets/hall.tmj); assets/generate.lua makes the maps, the
-- images and the sounds. Edit and save any of these files while the game runs.
return {
  title = "Lantern", width = 320, height = 180, addons = { { "menu", as = "menus" }, "pause" },
  window = { width = 960, height = 540, scale = "expand", filter = "pixels", icon = "icon.png" },
  layers = { "hero", "blade", "foe", "shot", "thing", "solid" }, -- collision layers
  fonts = { "japanese.otf" }, -- contains the characters of strings/ja.lua, which the engine's font lacks
  start = function()
    world.spawn("eye", { name = "eye" })
    world.spawn(nil, { name = "talk", dialogue = { speed = 40 }, widget = { anchor = "bottom", margin = 6 } })
    world.emit("go", { to = "title" })
  end,
}

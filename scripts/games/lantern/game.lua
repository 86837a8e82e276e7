-- Lantern: a small top-down adventure, and the sample that teaches Shoal.
--
-- Read it in this order:
--
--   components.lua, assemblages.lua   what things are made of
--   systems/player.lua, walk.lua      keys become an intent, and an intent becomes a step
--   systems/ghost.lua, contacts.lua   what happens between touching and being hurt
--   systems/snuffer.lua               a boss as a machine of states
--   sequences/                        scenes that play by themselves
--
-- The rooms are maps of Tiled in assets/*.tmj, the pictures beside them are made by assets/generate.lua. Save any of
-- these files while the game runs.
return {
  title = "Lantern", width = 320, height = 180,
  window = { width = 960, height = 540, scale = "integer", filter = "pixels" },
  fonts = { "japanese.otf" }, -- for strings/ja.lua: what the engine's own font has not
  start = function()
    world.spawn("eye", { name = "eye" })
    world.spawn(nil, { name = "talk", dialogue = { speed = 40 } })
    world.emit("go", { to = "title" })
  end,
}

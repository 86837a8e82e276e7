-- Asteroids, titled Rockfall in the game: a ship, rocks that split, saucers that shoot. Up to eight players share one
-- field, the reserve ships and the score (systems/crew.lua). The rules are in systems/, one file each; the numbers to
-- tune are in tuning.lua. Edit and save any of these files while the game runs.
local stars = require "lib.stars"

return {
  title = "Rockfall",
  width = 1280,
  height = 720,
  window = { icon = "icon.png" },
  multiplayer = { players = { 1, 8 } },
  addons = { "menu" },
  tick_rate = 60,
  layers = { "ship", "bullet", "saucer", "rock", "shell" }, -- collision layers
  start = function()
    world.spawn("camera")
    world.spawn("nebula")
    stars.scatter()
    world.emit("go", { to = "title" })
  end,
}

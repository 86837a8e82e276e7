-- Hamlet: a town, and mines behind a door. Dig for ore and gold, sell them to the smith, trade with other players, and
-- talk to the elder, who remembers. A game for a served world (engine/docs/served_worlds.md), and for one player.
--
-- Read it in this order:
--
--   systems/residents.lua          each player has a hero, and a bag that travels with the player
--   systems/doors.lua              heroes go from room to room
--   systems/deals.lua              two players trade
--   systems/elder.lua              the elder asks the chronicle
--   systems/gifts.lua              the operator of the world gives presents
--
-- assets/generate.lua makes the maps, the images and the sounds. Edit and save any of these files while the game runs.
return {
  title = "Hamlet", width = 320, height = 180, scene = "town", addons = { { "menu", as = "menus" }, "pause" },
  window = { width = 960, height = 540, scale = "expand", filter = "pixels", icon = "icon.png",
    expand_in_match = true },
  layers = { "hero", "solid" }, -- collision layers
  multiplayer = { players = { 1, 8 } },
  serve = { rooms = {
    town = { scene = "town", players = 32 },
    mine = { scene = "mine", count = 4, players = 8, enter = false },
  } },
  chronicle = { trade = "90 days", gift = "forever" },
  start = function() world.emit("go", { to = "title" }) end,
}

-- The ossuary, a room of the game (lib/rooms.lua).
return {
  entities = { { assemblage = "room", name = "ossuary", components = { tilemap = { map = "ossuary.tmj" } } } },
  start = function() world.single.play.room = world.find "ossuary" end,
}

-- The hall, a room of the game (lib/rooms.lua).
return {
  entities = { { assemblage = "room", name = "hall", components = { tilemap = { map = "hall.tmj" } } } },
  start = function() world.single.play.room = world.find "hall" end,
}

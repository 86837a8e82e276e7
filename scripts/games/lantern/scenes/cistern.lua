-- The cistern, a room of the game (lib/rooms.lua).
return {
  entities = { { assemblage = "room", name = "cistern", components = { tilemap = { map = "cistern.tmj" } } } },
  start = function() world.single.play.room = world.find "cistern" end,
}

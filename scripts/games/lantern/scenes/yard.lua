-- The yard, the room in which a game begins (lib/rooms.lua).
return {
  entities = { { assemblage = "room", name = "yard", components = { tilemap = { map = "yard.tmj" } } } },
  start = function() world.single.play.room = world.find "yard" end,
}

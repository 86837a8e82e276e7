-- The throne room (lib/rooms.lua).
return {
  entities = { { assemblage = "room", name = "throne", components = { tilemap = { map = "throne.tmj" } } } },
  start = function() world.single.play.room = world.find "throne" end,
}

-- The town, the room in which a game begins.
return {
  entities = {
    { assemblage = "eye" },
    { assemblage = "room", name = "town", components = { tilemap = { map = "town.tmj" } } },
  },
  start = function()
    world.single.play.place, world.single.play.since = "town", world.tick
  end,
}

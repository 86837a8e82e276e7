-- A mine. In a served world, there are several of them.
return {
  entities = {
    { assemblage = "eye", components = { ambient = { colour = "#4a4668" } } },
    { assemblage = "room", name = "mine", components = { tilemap = { map = "mine.tmj" } } },
  },
  start = function()
    world.single.play.place, world.single.play.since = "mine", world.tick
  end,
}

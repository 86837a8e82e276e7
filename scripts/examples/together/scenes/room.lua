-- The map assets/room.tmj contains the hero, the slime, the coins and the lamps as objects.
return { entities = { { assemblage = "eye" }, { assemblage = "room" } } }

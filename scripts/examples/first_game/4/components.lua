-- The game's own components, with their fields' defaults. Those of Shoal (transform, light, …) are there already.
return {
  spark = { speed = 340, warmth = 1, doc = "warmth: from 1 down to 0, and then it is out" },
  worm = { turn = 0 },
  moth = { speed = 150, turn = 0 },
  hungry = {}, -- no fields: an entity has it or has not
  game = shoal.types.single { score = 0 }, -- a single: there is one, in world.single.game
}

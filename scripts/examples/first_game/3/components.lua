-- The game's own components and the defaults of their fields.
-- Shoal's components (transform, light, …) are built in.
return {
  spark = { speed = 340, warmth = 1, doc = "warmth: from 1 down to 0, and then it is out" },
  worm = { turn = 0 },
  game = shoal.types.single { score = 0 }, -- a single exists once: world.single.game
}

-- The game's own components and the defaults of their fields.
-- Shoal's components (transform, light, …) are built in.
return {
  spark = { speed = 340, warmth = 1, doc = "warmth: 1 to 0; the spark dies at 0" },
  worm = { turn = 0 },
  game = shoal.types.single { score = 0 }, -- a singleton: world.single.game
}

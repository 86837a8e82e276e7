-- The game's own components and the defaults of their fields.
-- Shoal's components (transform, light, …) are built in.
return {
  spark = { speed = 340, warmth = 1, doc = "warmth: 1 to 0; the spark dies at 0" },
  worm = { turn = 0 },
  moth = { speed = 150, turn = 0 },
  hungry = {}, -- a tag: a component without fields
  -- A singleton exists once: world.single.game.
  game = shoal.types.single {
    score = 0, night = 1, danger = 0, phase = shoal.types.enum { "title", "playing", "over" },
  },
}

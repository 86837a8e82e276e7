-- The game's own components, with their fields' defaults. Those of Shoal (transform, shape, …) are there already.
return {
  grass = { grown = 0.5 },
  animal = { turn = 0, speed = 50, food = 1 },
  counts = shoal.types.single { born = 0, starved = 0, grass = 0 },
}

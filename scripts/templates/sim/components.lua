-- The game's own components and the defaults of their fields. Shoal's components (transform, shape, …) are built in.
return {
  grass = { grown = 0.5 },
  animal = { turn = 0, speed = 50, food = 1 },
  counts = shoal.types.single { born = 0, starved = 0, grass = 0 },
}

-- The game's own components, with their fields' defaults. Those of Shoal (transform, light, …) are there already.
return {
  spark = { speed = 340 },
}

-- The game's own components, with their fields' defaults. Those of Shoal (transform, sprite, …) are there already.
return {
  hero = { speed = 80 },
}

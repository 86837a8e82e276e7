-- The game's own components, with their fields' defaults. Those of Shoal (transform, shape, …) are there already.
return {
  ship = { speed = 420, reload = 0, doc = "reload: seconds until it can fire again" },
  bullet = {},
  rock = { size = 1 },
  game = shoal.types.single { score = 0, lives = 3 },
}

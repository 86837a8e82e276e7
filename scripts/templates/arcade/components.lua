-- The game's own components and the defaults of their fields. Shoal's components (transform, shape, …) are built in.
return {
  ship = { speed = 420, reload = 0, doc = "reload: seconds until it can fire again" },
  bullet = {},
  rock = { size = 1 },
  game = shoal.types.single { score = 0, lives = 3 },
}

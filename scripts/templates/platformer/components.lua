-- The game's own components and the defaults of their fields. Shoal's components (transform, sprite, …) are built in.
return {
  hero = { speed = 110, jump = 300, late = 0,
    doc = "late: seconds for which the hero can still jump after leaving an edge" },
  coin = {}, spring = {},
  game = shoal.types.single { coins = 0 },
}

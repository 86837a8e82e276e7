-- The game's own components, with their fields' defaults. Those of Shoal (transform, sprite, …) are there already.
return {
  hero = { speed = 110, jump = 300, late = 0, doc = "late: for how long it may still jump after the edge" },
  coin = {}, spring = {},
  game = shoal.types.single { coins = 0 },
}

-- All entities except the hero are sensors: they report collisions with him but do not block him.
return {
  hero = { components = {
    transform = {}, sprite = { image = "knight.png", layer = 2 }, animation = { clip = "stand" }, material = {},
    body = { kind = "box", width = 8, height = 14, offset_y = -7, category = "hero", mask = { "slime", "treasure" } },
    mover = {}, hero = {},
  } },
  slime = { components = {
    transform = {}, sprite = { image = "slime.png", layer = 1 }, animation = { clip = "creep" },
    body = { kind = "box", width = 12, height = 9, offset_y = -4.5, category = "slime", mask = "hero" }, sensor = {},
    mover = {}, creep = {}, material = { dissolve_colour = { 0.9, 1, 0.5, 1 } },
  } },
  coin = { components = {
    transform = {}, sprite = { image = "coin.png", layer = 1 }, animation = { clip = "turn" }, treasure = {},
    body = { radius = 6, category = "treasure", mask = "hero" }, sensor = {},
  } },
  goal = { components = {
    transform = {}, goal = {}, sensor = {},
    body = { kind = "box", width = 10, height = 48, offset_y = -24, category = "treasure", mask = "hero" },
  } },
  eye = { components = {
    transform = { x = 160, y = 90 }, camera = { background = "#7cc4ee" }, shaken = { pixels = 8 },
    follow = { seconds = 0.12, width = 40, height = 40, offset_y = -24 },
  } },
}

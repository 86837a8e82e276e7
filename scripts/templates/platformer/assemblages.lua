-- Templates for entities: their initial components. game.lua lists the collision layers of bodies.
return {
  eye = { components = { transform = { x = 160, y = 90 }, camera = { background = "#79b7e8" },
    follow = { width = 60, height = 40, left = 0, right = 640, top = 0, bottom = 184 } } },
  hero = {
    components = {
      transform = {}, hero = {}, mover = {}, sprite = { image = "hero.png", layer = 2 }, animation = { clip = "stand" },
      body = { kind = "box", width = 9, height = 14, offset_y = 1, category = "hero", mask = { "item", "ground" } },
    },
  },
  ground = {
    components = {
      transform = {}, body = { kind = "box", width = 16, height = 16, category = "ground", mask = "hero" },
      shape = { kind = "rect", width = 16, height = 16, colour = "#6b4a35" },
    },
    children = {
      { transform = { y = -6 }, shape = { kind = "rect", width = 16, height = 4, colour = "#5fb04a", layer = 1 } },
    },
  },
  earth = { components = { transform = {},
    body = { kind = "box", width = 16, height = 16, category = "ground", mask = "hero" },
    shape = { kind = "rect", width = 16, height = 16, colour = "#6b4a35" } } },
  coin = { components = { transform = {}, coin = {}, sensor = {},
    body = { radius = 6, category = "item", mask = "hero" }, shape = { radius = 5, colour = "#ffd54a" } },
    children = { { transform = {}, shape = { radius = 3, colour = "#fff2b0", layer = 1 } } } },
  spring = { components = { transform = { y = 4 }, spring = {}, sensor = {},
    body = { kind = "box", width = 14, height = 8, offset_y = 4, category = "item", mask = "hero" },
    shape = { kind = "polygon", points = "-7,8 -5,2 5,2 7,8", colour = "#e2556b" } } },
  glitter = { components = { transform = {}, emitter = { rate = 0, burst = 14, duration = 0.1, finish = "destroy",
    life = 0.5, speed = 60, size = 3, sizes = { 1, 0 }, colour = "#ffe680", layer = 3 } } },
}

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.12, background = { 0.055, 0.05, 0.075, 1 } } } },
  plank = { components = { transform = { x = 640 }, shape = { kind = "rect", width = 1280, height = 79 } } },
  mouse = { components = { transform = {}, mouse = {},
    shape = { radius = 8, colour = "#cfd6e6", layer = 2 } } },
  cat = { components = { transform = {}, cat = {},
    shape = { radius = 20, layer = 3 } },
    children = {
      left = { components = { transform = { x = -12, y = -15 },
        shape = { kind = "polygon", points = "-8 8 8 4 -5 -14", colour = "#e8c9a8", layer = 2 } } },
      right = { components = { transform = { x = 12, y = -15 },
        shape = { kind = "polygon", points = "8 8 -8 4 5 -14", colour = "#e8c9a8", layer = 2 } } },
    } },
  cheese = { components = { name = "cheese", transform = { x = 640, y = 330 }, cheese = {},
    shape = { kind = "polygon", points = "-26 14 26 14 26 0 -26 -14", colour = "#ffd84d", layer = 1 } } },
}

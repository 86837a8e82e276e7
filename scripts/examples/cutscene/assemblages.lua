return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.4, background = { 0.03, 0.03, 0.07, 1 } } } },
  floor = { components = { transform = { x = 640, y = 500 },
    shape = { kind = "rect", width = 1280, height = 4, colour = "#2a3050" } } },
  figure = { components = { transform = { y = 460 }, shape = { radius = 36, layer = 1 } } },
  lamp = { components = { transform = { x = 640, y = 150 }, shape = { radius = 14, colour = "#ffe9a0" } } },
}

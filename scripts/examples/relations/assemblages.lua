return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.3, background = { 0.03, 0.03, 0.06, 1 } } } },
  dish = { components = { dish = {}, transform = {}, shape = { radius = 20, layer = 2 } } },
  guest = { components = { guest = {}, transform = {}, shape = { radius = 9, layer = 2 } } },
}

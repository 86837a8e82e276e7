return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.5, background = { 0.012, 0.01, 0.03, 1 } } } },
  dot = { components = { transform = {}, drift = {}, near = {},
    shape = { radius = 2.6, colour = { 0.7, 0.9, 1, 1 } } } },
  cell = { components = { cell = {} } },
}

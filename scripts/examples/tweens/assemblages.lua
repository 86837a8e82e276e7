return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.35, background = { 0.02, 0.025, 0.05, 1 } } } },
  dot = { components = { transform = {}, dot = {}, shape = { radius = 8, layer = 1 } } },
  ring = { components = { transform = {}, shape = { radius = 8, filled = false }, lifetime = 0.5 } },
}

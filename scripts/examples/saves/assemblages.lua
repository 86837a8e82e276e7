return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.2, background = { 0.32, 0.52, 0.62, 1 } } } },
  flower = { components = { transform = {}, flower = {} } },
}

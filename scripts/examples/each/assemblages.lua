return {
  eye = { components = { transform = { x = 640, y = 386 },
    camera = { bloom = 0.25, background = { 0.02, 0.02, 0.04, 1 } } } },
  ball = { components = { transform = {}, ball = {}, shape = {} } },
}

return {
  eye = { components = { transform = { x = 480, y = 270 }, shaken = {},
    camera = { bloom = 0.5, background = { 0.03, 0.05, 0.11, 1 } } } },
  ground = { components = { transform = { x = 480, y = 500 },
    shape = { kind = "rect", width = 1200, height = 120, colour = { 0.05, 0.07, 0.13, 1 } } } },
  hill = { components = { transform = {}, shape = { layer = -1 } } },
  ball = { components = { transform = { x = 300, y = 300 }, ball = {}, shape = { layer = 2 } } },
  puff = { components = { transform = {}, lifetime = { seconds = 0.4 }, shape = { layer = 1, blend = "add" } } },
}

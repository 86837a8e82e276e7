return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.5, background = { 0.01, 0.02, 0.03, 1 } } } },
  swimmer = { components = { transform = {}, swim = {}, heading = {}, lifetime = { seconds = 14 },
    shape = { radius = 3, blend = "add" } } },
}

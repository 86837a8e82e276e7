return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.55, background = { 0.006, 0.006, 0.016, 1 } } } },
  star = { components = { transform = {}, star = {},
    shape = { radius = 1.1, blend = "add", colour = { 1, 1, 1, 0.5 } } } },
}

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.7, background = { 0.005, 0.006, 0.02, 1 } } } },
  rocket = { components = { transform = {}, rocket = {},
    shape = { radius = 2.2, blend = "add", colour = { 1, 0.8, 0.5, 1 } } } },
  spark = { components = { transform = {}, spark = {}, lifetime = {}, shape = { radius = 1.8, blend = "add" } } },
}

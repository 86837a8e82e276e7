return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.6, background = { 0.01, 0.012, 0.03, 1 } } } },
  fountain = {
    components = {
      transform = {},
      fountain = {},
      shape = { kind = "rect", width = 60, height = 14, colour = { 0.3, 0.36, 0.5, 1 } },
      nozzle = { left = { angle = -1.9, power = 480 },
        right = { angle = -1.24, power = 480, r = 0.9, g = 0.4, b = 1 } },
    },
  },
  drop = { components = { transform = {}, drop = {}, lifetime = { seconds = 2.2 },
    shape = { radius = 2.4, blend = "add" } } },
}

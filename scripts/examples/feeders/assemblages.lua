return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.4, background = { 0.01, 0.05, 0.09, 1 } } } },
  boat = {
    components = {
      transform = {}, boat = {}, intent = {},
      shape = { kind = "polygon", points = { 22, 0, -14, 12, -8, 0, -14, -12 } },
    },
    states = { initial = "player", player = { player = {} }, machine = { machine = {} }, network = { network = {} } },
  },
  buoy = { components = { transform = { x = 640, y = 240 }, shape = { radius = 9, colour = { 1, 0.95, 0.8, 1 } } } },
}

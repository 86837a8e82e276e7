return {
  eye = { components = { transform = { x = 640, y = 360 }, camera = { bloom = 0.25, background = "#1f6f8b" } } },
  boat = {
    components = {
      transform = {}, boat = {}, intent = {},
      shape = { kind = "polygon", points = "36,0 24,-11 4,-16 -26,-14 -30,0 -26,14 4,16 24,11", layer = 2 },
      trail = { seconds = 1.8, width = 14, widths = { 0.6, 1.6, 3 }, soft = 0.6, layer = 1,
        colours = { "#ffffffa0", "#ffffff48", "#ffffff00" } },
    },
    children = {
      deck = { components = { transform = {}, shape = { kind = "polygon", colour = "#f2dfb8", layer = 3,
        points = "27,0 18,-7 2,-11 -22,-9 -24,0 -22,9 2,11 18,7" } } },
      cabin = { components = { transform = { x = -9 },
        shape = { kind = "rect", width = 17, height = 13, colour = "#fffaf0", layer = 4 } } },
      window = { components = { transform = { x = -2 },
        shape = { kind = "rect", width = 4, height = 11, colour = "#3a4a5c", layer = 5 } } },
    },
    states = { initial = "player", player = { player = {} }, machine = { machine = {} }, network = { network = {} } },
  },
  buoy = {
    components = { transform = { x = 640, y = 240 }, shape = { radius = 15, colour = "#e8402e", layer = 2 } },
    children = {
      band = { components = { transform = {}, shape = { radius = 10, colour = "#fff6e6", layer = 3 } } },
      light = { components = { transform = {}, shape = { radius = 5, colour = { 1.8, 1.4, 0.6, 1 }, layer = 4 } } },
    },
  },
}

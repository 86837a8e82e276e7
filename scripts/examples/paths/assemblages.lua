return {
  eye = { components = { transform = { x = 480, y = 270 },
    camera = { bloom = 0.55, background = { 0.02, 0.045, 0.075, 1 } } } },
  lantern = { components = { transform = {}, path = { speed = 90, loop = true }, trail = { radius = 7 },
    shape = { radius = 7, layer = 3, colour = { 1, 0.72, 0.32, 1 } } } },
  ferry = { components = { transform = {}, path = { back = true }, trail = { radius = 3, colour = { 0.5, 0.8, 1, 1 } },
    shape = { kind = "rect", width = 56, height = 18, layer = 2, colour = { 0.35, 0.62, 0.85, 1 } } } },
  stop = { components = { transform = {}, stop = {},
    shape = { radius = 13, filled = false, thickness = 2, layer = 1, colour = { 0.45, 0.9, 0.6, 0.7 } } } },
  courier = { components = { transform = {}, courier = {}, path = { speed = 150 },
    trail = { radius = 5, colour = { 0.45, 1, 0.65, 1 } },
    shape = { radius = 9, layer = 4, colour = { 0.6, 1, 0.75, 1 } } } },
  puff = { components = { transform = {}, lifetime = { seconds = 0.9 }, shape = { layer = 1, blend = "add" } } },
}

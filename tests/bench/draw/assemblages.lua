return {
  camera = {
    components = { name = "camera", transform = { x = 640, y = 360 }, camera = { background = { 0, 0, 0, 1 } } },
  },
  dot = { components = { transform = {}, velocity = {}, sprite = { image = "dot.png" } } },
  ground = { components = { transform = { x = 640, y = 360 }, ambient = {},
    shape = { kind = "rect", width = 1280, height = 720, colour = { 0.6, 0.6, 0.6, 1 } } } },
  block = { components = { transform = {}, shape = { kind = "rect", width = 30, height = 30 }, occluder = {} } },
  lamp = { components = { transform = {}, velocity = {}, light = { range = 120 } } },
  map = { components = { transform = {}, tilemap = { map = "million.tmj" } } },
  buttons = {
    components = {
      transform = {},
      panel = { layout = "grid", columns = 20, gap = 1, padding = 0 },
      widget = { anchor = "fill" },
    },
  },
  button = { components = { transform = {}, button = {} } },
  line = { components = { transform = {}, text = { size = 14, space = "screen" } } },
}

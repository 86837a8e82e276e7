return {
  camera = {
    components = { name = "camera", transform = { x = 640, y = 360 }, camera = { background = { 0, 0, 0, 1 } } },
  },
  dot = { components = { transform = {}, velocity = {}, sprite = { image = "dot.png" } } },
  ground = { components = { transform = { x = 640, y = 360 }, ambient = {},
    shape = { kind = "rect", width = 1280, height = 720, colour = { 0.6, 0.6, 0.6, 1 } } } },
  block = { components = { transform = {}, shape = { kind = "rect", width = 30, height = 30 }, occluder = {} } },
  lamp = { components = { transform = {}, velocity = {}, light = { range = 120 } } },
  cloud = { components = { transform = { x = 640, y = 360 }, emitter = { image = "dot.png", rate = 100000, life = 1,
    life_vary = 0, shape = "rect", width = 1280, height = 720, speed = 60, speed_vary = 0.33, gravity_y = 60, size = 8,
    size_vary = 0, sizes = { 1, 0.5 }, colours = { "#fff", "#ff803300" }, ahead = 1 } } },
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

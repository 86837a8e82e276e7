return {
  camera = {
    components = { name = "camera", transform = { x = 640, y = 360 }, camera = { background = { 0, 0, 0, 1 } } },
  },
  dot = { components = { transform = {}, velocity = {}, sprite = { image = "dot.png" } } },
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

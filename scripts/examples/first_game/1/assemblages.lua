-- Templates for entities: their initial components. Colours above 1 glow.
return {
  eye = { components = { transform = {}, camera = { bloom = 0.6, background = "#0a0f1e" } } },

  spark = {
    components = {
      transform = {}, spark = {}, mover = {}, body = { radius = 9 },
      shape = { radius = 6, colour = { 2.4, 1.7, 0.8, 1 }, layer = 30 },
      trail = { seconds = 0.5, width = 12, colours = { "#ffc060", "#ff602000" },
        soft = 0.8, blend = "add", layer = 29 },
      emitter = { rate = 26, life = 0.9, speed = 26, gravity_y = -50, size = 5, sizes = { 1, 0.4, 0 },
        colours = { { 2, 1.2, 0.4, 1 }, { 1.4, 0.3, 0.1, 0 } }, soft = 0.8, blend = "add", layer = 29 },
    },
  },

  words = {
    components = { panel = { padding = 14 }, widget = { anchor = "bottom", margin = 12 } },
    children = { { label = { text = "Arrow keys, WASD or a pad" } } },
  },
}

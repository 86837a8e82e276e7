return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.7, background = { 0.005, 0.006, 0.02, 1 } } } },
  rocket = { components = { transform = {}, rocket = {},
    shape = { radius = 3.5, blend = "add", colour = { 1.4, 1, 0.6, 1 } },
    trail = { seconds = 0.5, width = 6, widths = { 1, 0.2 }, soft = 0.6, blend = "add",
      colours = { "#ffd890", "#ff7030a0", "#ff400000" } } } },
  spark = { components = { transform = {}, spark = {}, lifetime = {}, shape = { radius = 1.8, blend = "add" } } },
}

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.55, background = { 0.012, 0.014, 0.035, 1 } } } },

  pen = { components = { transform = {}, orbit = {}, shape = { radius = 3, colour = { 1.5, 1.5, 1.7, 1 }, layer = 2 },
    trail = { seconds = 1.5, width = 9, widths = { 1, 0.6, 0 }, colours = { "#ffffff", "#ffffffb0", "#ffffff00" },
      blend = "add", soft = 0.7 } } },

  plane = { components = { transform = {}, loop = {},
    shape = { kind = "polygon", points = "16,0 -10,-9 -5,0 -10,9", colour = "#e8ecff", layer = 2 },
    trail = { seconds = 1.1, width = 26, widths = { 0.25, 1, 1.4 }, soft = 0.5,
      colours = { "#fff0d0", "#ff9a50a0", "#c0305000" } } } },

  dart = { components = { transform = {}, dart = {}, shape = { radius = 2, colour = { 1.3, 1.8, 2.2, 1 }, layer = 1 },
    trail = { seconds = 0.45, width = 4, colours = { { 0.8, 1.5, 2, 1 }, { 0.2, 0.5, 1.2, 0 } }, blend = "add" } } },
}

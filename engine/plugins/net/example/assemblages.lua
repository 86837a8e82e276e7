return {
  eye = { components = { transform = { x = 480, y = 270 },
    camera = { bloom = 0.5, background = { 0.012, 0.016, 0.04, 1 } } } },
  comet = { components = { transform = {}, comet = {}, shape = { radius = 8, colour = { 1.8, 1.4, 0.8, 1 }, layer = 2 },
    trail = { seconds = 1.3, width = 15, widths = { 1, 0.5, 0 }, colours = { "#fff0d0", "#ff9a50a0", "#c0305000" },
      blend = "add", soft = 0.6 } } },
  echo = { components = { transform = { x = 480, y = 250 }, echo = {},
    shape = { radius = 20, filled = false, thickness = 2.5, colour = { 0.5, 1.4, 1.8, 1 }, layer = 1 } } },
  status = { components = { transform = { x = 480, y = 496 }, status = {},
    text = { size = 17, align = "center", colour = "#7d8ab8" } } },
}

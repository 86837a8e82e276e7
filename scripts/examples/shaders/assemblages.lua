local function create_slider(words, path, min, max)
  return { slider = { text = words, bind = path, min = min, max = max, step = (max - min) / 50 } }
end

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.4, background = { 0.1, 0.08, 0.25, 1 } } } },
  sky = { components = { transform = {}, shape = { kind = "rect", width = 1300, height = 41, layer = -10 } } },
  sun = { components = { transform = {}, shape = { radius = 62, colour = { 1.6, 1.05, 0.5, 1 }, layer = -9 } } },
  hill = { components = { transform = {}, shape = { kind = "circle", layer = -8 } } },
  sea = { components = { transform = {}, shape = { kind = "rect", width = 1300, height = 300, colour = "#181a3c",
    layer = -5 } } },
  boat = { components = { transform = {}, boat = {},
    shape = { kind = "polygon", points = "-46,0 46,0 34,18 -36,18", colour = "#5a2c28", layer = -4 } },
    children = {
      mast = { components = { transform = { y = -36 },
        shape = { kind = "rect", width = 3, height = 74, colour = "#3a2020", layer = -4 } } },
      sail = { components = { transform = {},
        shape = { kind = "polygon", points = "4,-72 40,-12 4,-8", colour = "#f0d8b8", layer = -4 } } },
      jib = { components = { transform = {},
        shape = { kind = "polygon", points = "-4,-64 -30,-10 -4,-8", colour = "#d8b898", layer = -4 } } },
      lamp = { components = { transform = { x = -40, y = -6 },
        shape = { radius = 3, colour = { 2, 1.6, 0.8, 1 }, layer = -3 } } },
    } },
  birds = { components = { transform = {}, emitter = { rate = 0.7, life = 26, life_vary = 0.1, angle = math.pi,
    spread = 0.1, shape = "rect", width = 40, height = 190, speed = 62, size = 3, size_vary = 0.5, sway = 5, ahead = 26,
    colours = { "#1c1838" }, layer = -6 } } },

  panel = {
    components = { transform = {}, panel = { gap = 5, padding = 12 },
      widget = { anchor = "top_left", margin = 14, width = 330 } },
    children = {
      { checkbox = { text = "Water", bind = "water.enabled" } },
      create_slider("Height", "water.height", 0.3, 1), create_slider("Waves", "water.waves", 0, 1),
      { checkbox = { text = "Colours", bind = "grade.enabled" } },
      create_slider("Saturation", "grade.saturation", 0, 2), create_slider("Contrast", "grade.contrast", 0.5, 1.5),
      create_slider("Warmth", "grade.warmth", -1, 1),
      { checkbox = { text = "Pixels", bind = "pixels.enabled" } },
      create_slider("Edge", "pixels.edge", 2, 24),
      { checkbox = { text = "Tube", bind = "tube.enabled" } },
      create_slider("Lines", "tube.lines", 0, 1), create_slider("Bend", "tube.bend", 0, 0.4),
      create_slider("Fringe", "tube.fringe", 0, 1),
    },
  },
}

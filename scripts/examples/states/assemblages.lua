return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.8, background = { 0.006, 0.014, 0.014, 1 } } } },
  firefly = {
    components = { transform = {}, wander = {},
      shape = { radius = 4, blend = "add", colour = { 0.75, 1, 0.25, 0.06 } } },
    states = {
      initial = "resting",
      resting = { dark = {} },
      flashing = { lit = {}, glowing = {} },
      dimming = { lit = {}, fading = {} },
    },
  },
}

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.4, background = { 0.07, 0.055, 0.04, 1 } } } },
  town = { components = { transform = {}, town = {}, shape = { radius = 34, filled = false, thickness = 5 } } },
  trader = {
    components = { transform = {}, trader = {}, data = { initial = "gold = 12; title = trader" },
      shape = { radius = 7, colour = { 0.85, 0.8, 0.7, 1 } } },
  },
}

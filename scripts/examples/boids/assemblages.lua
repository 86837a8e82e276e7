return {
  eye = { components = { transform = { x = 800, y = 450 },
    camera = { bloom = 0.4, background = { 0.004, 0.03, 0.075, 1 } } } },
  fish = {
    components = { transform = {}, velocity = {}, fish = {}, steer = {}, sorted = {}, sprite = { image = "fish.png" } },
  },
  cell = { components = { cell = {} } },
  shark = {
    components = {
      transform = { x = -200, y = 450 },
      shark = {},
      sprite = { image = "shark.png", layer = 4, tint = { 0.07, 0.13, 0.19, 1 }, width = 230, height = 115 },
    },
  },
  ray = {
    components = { transform = {}, ray = {}, sprite = { image = "glow.png", blend = "add", layer = -1,
      tint = { 0.05, 0.16, 0.24, 0.5 } } },
  },
}

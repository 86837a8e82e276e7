-- Templates for entities: their initial components.
return {
  hero = {
    components = {
      transform = {}, sprite = { image = "hero.png" }, animation = { clip = "stand" },
      body = { kind = "box", width = 10, height = 14, offset_y = 1 }, mover = {}, hero = {},
    },
  },
  eye = { components = { transform = { x = 160, y = 88 }, camera = { background = "#26304a" } } },
}

return {
  slime = {
    components = {
      transform = {},
      body = { kind = "box", width = 12, height = 9, offset_y = -4.5, category = "slime", mask = "hero" },
      sensor = {},
      mover = {},
      creep = {},
    },
  },
  hero = { components = { transform = {}, body = { radius = 6, category = "hero" } } },
}

-- The fish behind the menu, and the camera that sees them.
return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.35, background = { 0.01, 0.02, 0.05, 1 } } } },
  fish = {
    components = {
      transform = {},
      swim = {},
      shape = { kind = "polygon", points = { 11, 0, 3, -4, -6, -1, -12, -5, -10, 0, -12, 5, -6, 1, 3, 4 },
        blend = "add" },
    },
  },
}

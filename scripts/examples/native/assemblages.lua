return {
  eye = { components = { transform = {}, camera = { bloom = 0.6, background = "#0d1430" } } },
  bead = { components = { bead = {}, transform = {}, shape = { radius = 3, colour = "#8d7a5e" } } },
}

return {
  eye = { components = { transform = {}, camera = {} } },
  bead = { components = { bead = {}, transform = {}, shape = { radius = 6, colour = "#ffb859" } } },
}

-- Templates for entities: their initial components.
return {
  eye = { components = { transform = { x = 640, y = 360 }, camera = { background = "#101626" } } },
  title = { components = { transform = { x = 640, y = 200 }, text = { size = 40, align = "center" } } },
}

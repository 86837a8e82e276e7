-- Templates for entities: their initial components.
return {
  eye = { components = { transform = { x = 640, y = 360 }, camera = { background = "#101626" } } },
  words = { components = { transform = { x = 640, y = 340 },
    text = { value = "Nothing yet", size = 40, align = "center", colour = "#8ea3d0" } } },
}

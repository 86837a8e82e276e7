-- Templates for entities: their initial components.
return { display = { components = { thing = { rate = 2 }, transform = { x = 640, y = 360 },
  text = { size = 96, align = "center" } } } }

-- Templates for entities: their initial components. Grass has a body so that world.near finds it.
return {
  eye = { components = { transform = { x = 640, y = 360 }, camera = { background = "#1d2b1f" } } },
  grass = { components = { transform = {}, grass = {}, shape = { radius = 5, colour = "#4f9a4a" },
    body = { radius = 6, category = "grass", mask = 0 } } },
  rabbit = { components = { transform = {}, animal = {}, shape = { radius = 5, colour = "#f0e4cf", layer = 2 } } },
}

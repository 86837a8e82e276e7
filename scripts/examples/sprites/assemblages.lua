-- Everything that stands on the meadow has its origin at its feet (the pivot in its sheet) and y_sort, so entities that
-- are lower on the screen are drawn in front of entities that are higher.
return {
  eye = { components = { transform = { x = 160, y = 90 },
    camera = { zoom = 4, bloom = 0.15, background = { 0.02, 0.05, 0.04, 1 } } } },
  grass = { components = { transform = {}, sprite = { image = "grass.png", layer = -1 } } },
  tree = { components = { transform = {}, sprite = { image = "tree.png" }, y_sort = {} } },
  fire = { components = { transform = {}, sprite = { image = "fire.png" }, animation = { clip = "burn" },
    y_sort = {} } },
  knight = { components = { transform = {}, sprite = { image = "knight.png" }, animation = { clip = "stand" },
    y_sort = {}, walker = {} } },
  slime = { components = { transform = {}, sprite = { image = "slime.png" }, animation = { clip = "rest" },
    material = { outline = { 1, 0.95, 0.7, 0 }, dissolve_colour = { 0.9, 1, 0.5, 1 } }, y_sort = {}, slime = {} } },
  plate = { components = { transform = { x = 160, y = 15 },
    sprite = { image = "panel.png", width = 86, height = 18, layer = 9 } },
    children = { words = { components = { transform = { y = -4.5 }, text = { value = "Slime meadow", size = 8,
      align = "center", layer = 10, colour = { 0.96, 0.9, 0.75, 1 } } } } } },
}

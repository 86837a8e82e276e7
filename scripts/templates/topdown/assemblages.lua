-- Templates for entities. `category`: the collision layer of a body; `mask`: the layers with which it collides.
return {
  eye = { components = { transform = { x = 160, y = 88 }, camera = {}, ambient = { colour = "#3c4270" } } },
  room = { components = { transform = {}, tilemap = { map = "room.tmj" }, occluder = {} } },
  lamp = { components = { transform = {}, y_sort = {}, sprite = { image = "lamp.png" }, animation = { clip = "burn" },
    light = { range = 110, offset_y = 4, colour = "#ffb870", flicker = 0.1 } } },
  coin = { components = { transform = {}, sprite = { image = "coin.png" }, animation = { clip = "turn" }, coin = {},
    body = { radius = 5, category = "coin", mask = 0 }, light = { range = 26, intensity = 0.5 } } },
  slime = { components = { transform = {}, y_sort = {}, sprite = { image = "slime.png" }, animation = { clip = "hop" },
    slime = {}, mover = {},
    body = { kind = "box", width = 10, height = 6, offset_y = -3, category = "slime", mask = 0 } } },
  hero = { components = { transform = {}, y_sort = {}, sprite = { image = "hero.png" }, animation = { clip = "stand" },
    hero = {}, mover = {}, body = { kind = "box", width = 10, height = 6, offset_y = -3, category = "hero", mask = 0 },
    light = { range = 100, offset_y = -6, colour = "#ffd9a0" } } },
}

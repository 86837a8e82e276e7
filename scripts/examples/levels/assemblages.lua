return {
  eye = { components = { transform = { x = 320, y = 240 }, camera = { background = "#336fb0" },
    follow = { seconds = 0.2, width = 60, height = 30 } } },
  walker = { components = { transform = {}, walk = {}, sprite = { frames = 4, width = 16, height = 16 } } },
  hero = { is = "walker", components = { intent = {}, sprite = { image = "hero.png" }, walk = { speed = 60 } },
    doc = "who the keys move" },
  slime = { is = "walker", components = { wander = {}, sprite = { image = "slime.png" } },
    doc = "goes where it likes; its speed is a property of its object in the map" },
}

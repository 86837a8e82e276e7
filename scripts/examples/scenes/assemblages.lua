return {
  eye = { components = { transform = { x = 640, y = 360 }, camera = { bloom = 0.35 } } },
  traveller = { components = { transform = { x = 60, y = 506 }, traveller = {}, name = "traveller",
    shape = { kind = "rect", width = 26, height = 44, radius = 10, colour = "#ffe7c2", layer = 5 } } },
  coin = { components = { transform = {}, coin = {}, shape = { radius = 9, colour = { 1.3, 1, 0.3, 1 }, layer = 4 } } },
  ground = { components = { transform = { x = 640, y = 624 },
    shape = { kind = "rect", width = 1280, height = 192, layer = 1 } } },
  hill = { components = { transform = {}, shape = { radius = 200 } } },
  glow = { components = { transform = {}, shape = { radius = 40, blend = "add" } } },
}

return {
  eye = { components = { transform = { x = 640, y = 360 }, camera = { bloom = 0.35 } } },
  traveller = { components = { transform = { x = 60, y = 506 }, traveller = {}, name = "traveller",
    shape = { kind = "rect", width = 26, height = 44, radius = 10, colour = "#ffe7c2", layer = 5 } } },
  coin = { components = { transform = {}, coin = {}, shape = { radius = 9, colour = { 1.3, 1, 0.3, 1 }, layer = 4 } } },
  ground = { components = { transform = { x = 640, y = 624 },
    shape = { kind = "rect", width = 1280, height = 192, layer = 1 } } },
  hill = { components = { transform = {}, shape = { radius = 200 } } },
  puff = { components = { transform = {}, shape = { colour = "#fdfdff" } } },
  cloud = { components = { transform = {} }, children = {
    { is = "puff", components = { transform = { x = -50, y = 4 }, shape = { radius = 20 } } },
    { is = "puff", components = { transform = { x = -18, y = -8 }, shape = { radius = 32 } } },
    { is = "puff", components = { transform = { x = 24, y = -2 }, shape = { radius = 26 } } },
    { is = "puff", components = { transform = { x = 54, y = 6 }, shape = { radius = 18 } } },
  } },
  boat = { components = { transform = {}, shape = { kind = "polygon", points = "-46,0 46,0 30,22 -30,22",
    colour = "#7a4a34", layer = 2 } }, children = {
    { components = { transform = {}, shape = { kind = "polygon", points = "4,-6 4,-86 48,-6", colour = "#fff6e6",
      layer = 2 } } },
    { components = { transform = {}, shape = { kind = "polygon", points = "-4,-6 -4,-70 -34,-6", colour = "#f0c9a0",
      layer = 2 } } },
  } },
  glow = { components = { transform = {}, shape = { radius = 40, blend = "add" } } },
}

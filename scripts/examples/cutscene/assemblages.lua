-- A street at night. The lamp lights the layers up to 19; the lamp itself is
-- above them.
return {
  eye = { components = { transform = { x = 640, y = 360 }, camera = { bloom = 0.4, background = "#141a38" },
    ambient = { colour = { 0.5, 0.52, 0.8, 1 }, layer = 20 } } },
  sky = { components = { transform = { x = 640 }, shape = { kind = "rect", width = 1280, height = 22, layer = -9 } } },
  stars = { components = { transform = { x = 640, y = 150 }, emitter = { rate = 0, burst = 90, life = 600,
    life_vary = 0, speed = 0, shape = "rect", width = 1280, height = 300, size = 2, size_vary = 0.6,
    colour = "#b8c4ff", layer = -8 } } },
  moon = { components = { transform = { x = 1050, y = 110 }, shape = { radius = 46, colour = "#f4ecd0", layer = -7 } },
    children = {
      sea = { components = { transform = { x = -14, y = -8 },
        shape = { radius = 12, colour = "#d9cfb4", layer = -6 } } },
      crater = { components = { transform = { x = 16, y = 14 },
        shape = { radius = 8, colour = "#d9cfb4", layer = -6 } } },
    } },

  house = { components = { transform = { y = 500 }, shape = { kind = "rect", colour = "#3b3f66", layer = -5 } } },
  roof = { components = { transform = {}, shape = { kind = "polygon", points = "-96,0 -72,-58 72,-58 96,0",
    colour = "#5a3f58", layer = -5 } } },
  window = { components = { transform = {},
    shape = { kind = "rect", width = 30, height = 42, layer = -4 } } },
  street = { components = { transform = { x = 640, y = 610 },
    shape = { kind = "rect", width = 1280, height = 224, colour = "#3c4058", layer = -3 } } },
  kerb = { components = { transform = { x = 640, y = 500 },
    shape = { kind = "rect", width = 1280, height = 8, colour = "#7a7f9c", layer = -2 } } },

  post = { components = { transform = { x = 640, y = 330 },
    shape = { kind = "rect", width = 9, height = 340, colour = "#20232f", layer = 1 } },
    children = {
      foot = { components = { transform = { y = 160 },
        shape = { kind = "polygon", points = "-20,12 -12,-14 12,-14 20,12", colour = "#20232f", layer = 1 } } },
      hood = { components = { transform = { y = -204 },
        shape = { kind = "polygon", points = "-26,14 -10,-8 10,-8 26,14", colour = "#20232f", layer = 22 } } },
    } },
  lamp = { components = { transform = { x = 640, y = 152 },
    shape = { radius = 14, colour = { 1.7, 1.4, 0.8, 1 }, layer = 21 },
    light = { range = 620, colour = { 1, 0.8, 0.5, 1 }, intensity = 1.5, glow = 0.2, shadows = false } } },

  -- A person in a coat who looks to the right. The sequence moves the person; the children follow.
  figure = {
    components = { transform = { y = 460 },
      shape = { kind = "polygon", points = "-24,30 -15,-22 -8,-32 8,-32 15,-22 24,30", layer = 5 } },
    children = {
      left_foot = { components = { transform = { x = -8, y = 33 },
        shape = { kind = "rect", width = 12, height = 8, colour = "#22202c", layer = 4 } } },
      right_foot = { components = { transform = { x = 10, y = 33 },
        shape = { kind = "rect", width = 12, height = 8, colour = "#22202c", layer = 4 } } },
      scarf = { components = { transform = { y = -31 },
        shape = { kind = "rect", width = 24, height = 9, colour = "#f6efe0", layer = 6 } } },
      hair = { components = { transform = { x = -3, y = -53 }, shape = { radius = 20, layer = 6 } } },
      face = { components = { transform = { x = 3, y = -50 },
        shape = { radius = 16, colour = "#f2c9a4", layer = 7 } } },
      eye = { components = { transform = { x = 11, y = -52 },
        shape = { radius = 2.5, colour = "#22202c", layer = 8 } } },
    },
  },
}

-- Templates for entities: their initial components. Colours above 1 glow. game.lua lists the collision layers.
return {
  eye = { components = { transform = { x = 360, y = 450 }, camera = { bloom = 0.6, background = "#070a18" },
    shaken = {} } },
  stars = { components = { transform = { x = 360, y = -10 }, emitter = { shape = "rect", width = 720, height = 10,
    rate = 30, life = 12, ahead = 12, speed = 110, speed_vary = 0.7, angle = math.pi / 2, spread = 0,
    size = 2.5, size_vary = 0.6,
    colour = "#8fa8ff", layer = -5 } } },
  ship = {
    components = {
      transform = { x = 360, y = 800 }, ship = {}, body = { radius = 14, category = "ship", mask = "rock" },
      shape = { kind = "polygon", points = "0,-22 15,16 0,8 -15,16", colour = { 0.7, 1.5, 2, 1 }, layer = 5 },
      emitter = { rate = 60, life = 0.35, angle = math.pi / 2, spread = 0.5, speed = 160, size = 7, sizes = { 1, 0 },
        colours = { "#ffd080", "#ff502000" }, blend = "add", soft = 0.7 },
    },
  },
  bullet = { components = { transform = {}, bullet = {}, swept = {}, lifetime = 1.2,
    body = { radius = 4, category = "bullet", mask = "rock" }, mover = { vy = -820 },
    trail = { seconds = 0.12, width = 6, colour = "#7fe0ff", blend = "add" },
    shape = { radius = 4, colour = { 1, 1.8, 2.2, 1 }, layer = 4 } } },
  rock = { components = { transform = {}, rock = {}, sensor = {},
    body = { radius = 30, category = "rock", mask = { "ship", "bullet" } },
    shape = { kind = "polygon", points = "-28,-10 -12,-28 14,-26 30,-4 20,22 -6,30 -26,16", colour = "#b08cff",
      filled = false, thickness = 3 } } },
  bang = { components = { transform = {}, emitter = { preset = "explosion" } } },
}

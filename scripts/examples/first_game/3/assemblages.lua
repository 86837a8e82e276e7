-- Templates for entities: their initial components. Colours above 1 glow.
-- category: the collision layer of a body; mask: the layers with which it collides. game.lua lists the layers.
return {
  eye = {
    components = {
      transform = {}, camera = { bloom = 0.6, background = "#04060c" },
      ambient = { colour = "#2a3358", layer = 20 }, -- the darkness; layers from 20 on are not affected
      follow = { width = 120, height = 80, left = -1280, top = -720, right = 1280, bottom = 720 },
    },
  },

  spark = {
    components = {
      transform = {}, spark = {}, mover = {},
      body = { radius = 9, category = "spark", mask = { "tree", "insect" } },
      shape = { radius = 6, colour = { 2.4, 1.7, 0.8, 1 }, layer = 30 },
      trail = { seconds = 0.5, width = 12, colours = { "#ffc060", "#ff602000" },
        soft = 0.8, blend = "add", layer = 29 },
      emitter = { rate = 26, life = 0.9, speed = 26, gravity_y = -50, size = 5, sizes = { 1, 0.4, 0 },
        colours = { { 2, 1.2, 0.4, 1 }, { 1.4, 0.3, 0.1, 0 } }, soft = 0.8, blend = "add", layer = 29 },
      light = { range = 440, colour = { 1, 0.72, 0.4, 1 }, intensity = 1.25, glow = 0.1, flicker = 0.12 },
    },
  },

  -- A sensor reports collisions but blocks nothing.
  worm = {
    components = {
      transform = {}, worm = {}, body = { radius = 14, category = "insect", mask = "spark" }, sensor = {},
      shape = { radius = 2.5, colour = { 1.1, 2.2, 0.6, 1 }, layer = 28 },
      light = { range = 90, intensity = 0.6, colour = { 0.6, 1, 0.35, 1 }, shadows = false, flicker = 0.5 },
    },
  },
  -- A burst of sparks that destroys itself.
  puff = { components = { transform = {}, emitter = { rate = 0, burst = 36, duration = 0.1, finish = "destroy",
    life = 0.8, speed = 150, speeds = { 1, 0.2 }, size = 6, sizes = { 1, 0.3, 0 }, soft = 0.8, blend = "add",
    layer = 29, colours = { { 1.6, 2.2, 0.8, 1 }, { 0.4, 1, 0.2, 0 } } } } },

  edge = { components = { transform = {}, body = { kind = "box", category = "tree", mask = "spark" } } },
  ground = { components = { transform = {},
    shape = { kind = "rect", width = 2560, height = 1440, colour = "#3d4a3f", layer = -9 } } },
  grass = { components = { transform = {},
    shape = { kind = "polygon", points = "-5,0 -4,-9 -1,-2 1,-12 2,-2 6,-8 5,0", colour = "#52664a", layer = -8 } } },
  tree = {
    components = {
      transform = {}, body = { radius = 20, category = "tree", mask = "spark" }, occluder = {},
      shape = { radius = 20, colour = "#6a4f3c", layer = 3 },
    },
    children = {
      { transform = { x = -20, y = -6 }, shape = { radius = 34, colour = "#24402ccc", layer = 4 } },
      { transform = { x = 18, y = 4 }, shape = { radius = 30, colour = "#2b4a31cc", layer = 5 } },
      { transform = { x = -2, y = -22 }, shape = { radius = 26, colour = "#33563acc", layer = 6 } },
    },
  },

  words = {
    components = { panel = { padding = 14 }, widget = { anchor = "bottom", margin = 12 } },
    children = { { label = { text = "Arrow keys, WASD or a pad" } } },
  },
}

-- Everything below the layer of `ambient` is lit. Entities with an `occluder` cast a shadow with the outline of their
-- `shape`.
return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.35, background = { 0.02, 0.02, 0.03, 1 } },
    ambient = { colour = { 0.1, 0.11, 0.2, 1 } } } },

  slab = { components = { transform = {}, shape = { kind = "rect", width = 62, height = 62, layer = -10 } } },
  -- Light enters a wall up to `depth` pixels, which makes the edge of the wall visible.
  wall = { components = { transform = {}, shape = { kind = "rect", colour = "#5d5664", layer = 3 },
    occluder = { lit = false, depth = 12 } } },
  pillar = { components = { transform = {}, shape = { kind = "circle", radius = 26, colour = "#8b8494", layer = 3 },
    occluder = {} },
    children = { top = { components = { transform = {},
      shape = { kind = "circle", radius = 17, colour = "#a69eae", layer = 4 } } } } },
  crate = { components = { transform = {}, shape = { kind = "rect", width = 44, height = 44, colour = "#8a6038",
    layer = 3 }, occluder = {} },
    children = { lid = { components = { transform = {},
      shape = { kind = "rect", width = 34, height = 34, colour = "#6b4827", filled = false, layer = 4 } } } } },

  -- The fire is drawn above the lit layers, because it is a light source itself.
  brazier = { components = { transform = {},
    shape = { kind = "circle", radius = 15, colour = "#3a2a22", layer = 2 },
    light = { range = 440, colour = { 1, 0.6, 0.27, 1 }, intensity = 1.5, size = 16, glow = 0.22, flicker = 0.2 },
    emitter = { preset = "fire", rate = 60, radius = 9, size = 26, speed = 55, layer = 1001 } } },

  lamp = { components = { transform = {}, swing = {} },
    children = { bulb = { components = { transform = { y = 40 },
      shape = { kind = "circle", radius = 6, colour = { 1.4, 1.7, 2.2, 1 }, layer = 1001 },
      light = { range = 330, colour = { 0.45, 0.75, 1, 1 }, intensity = 1.3, size = 6, glow = 0.2 } } } } },

  worm = { components = { transform = {}, drift = {},
    shape = { kind = "circle", radius = 1.6, colour = { 0.9, 1.6, 0.5, 1 }, layer = 1001 },
    light = { range = 54, colour = { 0.6, 1, 0.3, 1 }, intensity = 0.7, shadows = false, glow = 0.25,
      flicker = 0.5 } } },

  -- The watchman casts shadows in all lights except his own lantern, which is his child.
  watchman = { components = { transform = {}, walk = {},
    shape = { kind = "circle", radius = 13, colour = "#4a6fae", layer = 3 }, occluder = {} },
    children = {
      head = { components = { transform = {}, shape = { kind = "circle", radius = 7, colour = "#ddb48f",
        layer = 4 } } },
      lantern = { components = { transform = { x = 13 },
        light = { range = 520, cone = 0.95, cone_soft = 0.7, colour = { 1, 0.93, 0.75, 1 }, intensity = 1.3, size = 10,
          glow = 0.3 },
        shape = { kind = "circle", radius = 3.5, colour = { 2, 1.8, 1.3, 1 }, layer = 1001 } } },
    } },

  own = { components = { transform = {}, light = { range = 260, intensity = 1.3, size = 12, glow = 0.2 },
    shape = { kind = "circle", radius = 4, colour = { 2, 1.6, 1.2, 1 }, layer = 1001 } } },
}

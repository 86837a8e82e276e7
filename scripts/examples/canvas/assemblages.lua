-- The evening light darkens layers up to 19. Layers 20 to 29 contain light sources, 30 to 39 the water, 40 and above
-- map symbols. Each camera draws only the layers in its `camera_layers`.
local LAKE = { 0.5, 0.66, 0.85, 1 }

return {
  eye = {
    components = { transform = { y = -80 }, camera = { bloom = 0.4, background = { 0.035, 0.04, 0.1, 1 } },
      camera_layers = { last = 39 },
      follow = { offset_y = -76, seconds = 0.25, left = -1700, right = 1700 } },
    children = {
      -- The second camera moves with the first, as its child. It draws the shore, without the water, for the
      -- reflection.
      mirror = { components = { transform = { y = -60 },
        camera = { background = { 0.035, 0.04, 0.1, 1 } }, camera_layers = { last = 29 },
        canvas = { name = "lake", width = 1280, height = 280 } } },
      moon = { components = { transform = { x = -360, y = -255 },
        shape = { kind = "circle", radius = 30, colour = { 2, 1.9, 1.6, 1 }, layer = -19 } } },
      lake = { components = { transform = { y = 220 },
        sprite = { image = "canvas:lake", flip_y = true, tint = LAKE, layer = 30 } } },
    },
  },
  map = { components = { transform = { y = -40 }, camera = { zoom = 0.08, background = { 0.03, 0.05, 0.1, 1 } },
    camera_layers = { first = 40 }, canvas = { name = "map", width = 320, height = 44 } } },
  postcard = { components = { transform = {}, camera = { zoom = 0.3, background = { 0.035, 0.04, 0.1, 1 } },
    camera_layers = { last = 39 }, follow = { offset_y = -36, seconds = 0.25, left = -1700, right = 1700 },
    canvas = { name = "postcard", width = 80, height = 54, filter = "pixels", order = 1 } } },

  dusk = { components = { ambient = { colour = { 0.42, 0.4, 0.62, 1 }, layer = 20 } } },
  haze = { components = { transform = {}, shape = { kind = "rect", width = 5200, layer = -18 } } },
  star = { components = { transform = {}, shape = { layer = -20 } } },
  far_ridge = { components = { transform = {}, shape = { kind = "polygon", colour = "#3b3f6e", layer = -12 } } },
  near_ridge = { components = { transform = {}, shape = { kind = "polygon", colour = "#2f3358", layer = -11 } } },
  fir = { components = { transform = {},
    shape = { kind = "polygon", points = "0,-74 20,-22 9,-22 24,2 -24,2 -9,-22 -20,-22", colour = "#2c4a46",
      layer = 1 } } },
  house = {
    components = { transform = {}, shape = { kind = "polygon", colour = "#7a5a52", layer = 2,
      points = "-34,2 -34,-34 0,-62 34,-34 34,2" } },
    children = {
      roof = { components = { transform = {}, shape = { kind = "line", points = "-40,-30 0,-63 40,-30", thickness = 7,
        colour = "#4c3440", layer = 3 } } },
      window = { components = { transform = { x = -12, y = -18 },
        shape = { kind = "rect", width = 13, height = 15, colour = { 1.6, 1.15, 0.55, 1 }, layer = 21 },
        light = { range = 150, colour = { 1, 0.65, 0.3, 1 }, intensity = 1.1, shadows = false, glow = 0.12 } } },
      sign = { components = { transform = { y = -20 },
        shape = { kind = "rect", width = 46, height = 60, colour = "#d8a46a", layer = 40 } } },
    },
  },
  lighthouse = {
    components = { transform = {}, shape = { kind = "polygon", colour = "#c9c4bd", layer = 2,
      points = "-24,2 -15,-150 15,-150 24,2" } },
    children = {
      band = { components = { transform = { y = -80 }, shape = { kind = "polygon", colour = "#a8453d", layer = 3,
        points = "-20,18 -17,-18 17,-18 20,18" } } },
      lamp = { components = { transform = { y = -160 },
        shape = { kind = "circle", radius = 11, colour = { 2, 1.8, 1.2, 1 }, layer = 21 },
        light = { range = 240, colour = { 1, 0.9, 0.6, 1 }, intensity = 1.2, shadows = false, glow = 0.25 } } },
      beam = { components = { transform = { y = -160 }, turn = {},
        light = { range = 900, cone = 0.34, cone_soft = 0.9, colour = { 1, 0.93, 0.7, 1 }, intensity = 1.5,
          shadows = false, glow = 0.45 } } },
      sign = { components = { transform = { y = -70 },
        shape = { kind = "rect", width = 50, height = 190, colour = "#ff7d6a", layer = 40 } } },
    },
  },
  lantern = {
    components = { transform = {}, float = {}, shape = { kind = "circle", radius = 6, colour = { 1.8, 1.1, 0.5, 1 },
      layer = 21 },
      light = { range = 110, colour = { 1, 0.6, 0.25, 1 }, shadows = false, glow = 0.3, flicker = 0.25 } },
    children = { shade = { components = { transform = { y = 5 },
      shape = { kind = "rect", width = 18, height = 4, colour = "#5b3d2c", layer = 3 } } } },
  },
  boat = {
    components = { transform = {}, sail = {}, float = { at = -4, height = 2 }, shape = { kind = "polygon", layer = 5,
      points = "-52,-14 56,-16 38,6 -38,6", colour = "#8a5a3c" } },
    children = {
      mast = { components = { transform = { y = -58 }, shape = { kind = "rect", width = 4, height = 112,
        colour = "#5f4230", layer = 5 } } },
      canvas = { components = { transform = { x = 3 }, shape = { kind = "polygon", layer = 6, colour = "#efe3cf",
        points = "0,-112 46,-32 0,-28" } } },
      jib = { components = { transform = { x = -3 }, shape = { kind = "polygon", layer = 6, colour = "#d8785a",
        points = "0,-100 0,-30 -34,-30" } } },
      lamp = { components = { transform = { x = 44, y = -24 },
        shape = { kind = "circle", radius = 4, colour = { 2, 1.5, 0.9, 1 }, layer = 22 },
        light = { range = 190, colour = { 1, 0.8, 0.5, 1 }, intensity = 1.1, shadows = false, glow = 0.3 } } },
      sign = { components = { transform = { y = -40 },
        shape = { kind = "polygon", points = "0,-110 110,70 -110,70", colour = { 1.2, 1.2, 1.2, 1 }, layer = 41 } } },
    },
  },
  glint = { components = { transform = {}, glint = {},
    shape = { kind = "rect", width = 40, height = 1.5, colour = { 0.8, 0.9, 1, 0.1 }, layer = 31 } } },

  frame = {
    components = { panel = { gap = 8, keys = false }, widget = { anchor = "top_right", margin = 20 } },
    children = {
      { label = { image = "canvas:map" }, widget = { width = 320, height = 44 } },
      { label = { image = "canvas:postcard" }, widget = { width = 320, height = 216 } },
      { label = { text = "A map that a camera draws, and a postcard of 80 × 54 pixels", wrap = true, style = "dim",
        align = "centre" }, widget = { width = 320 } },
    },
  },
}

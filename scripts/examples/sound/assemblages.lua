return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.5, background = { 0.015, 0.02, 0.05, 1 } } } },
  bee = { components = { transform = {}, orbit = {}, orbit_pitch = {}, shape = { radius = 9, layer = 2 },
    sound = { file = "bee.wav", loop = true, volume = 0.7, fade_in = 1 },
    sound_space = { range = 620, within = 60 } } },
  walker = { components = { transform = { x = 100, y = 580 }, walker = {},
    shape = { radius = 7, colour = "#9ff5c0" } } },
  ring = { components = { transform = {}, shape = { radius = 6, filled = false, thickness = 2, layer = 1 },
    lifetime = 0.9 } },
}

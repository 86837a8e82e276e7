local UP = -math.pi / 2

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.5, background = { 0.014, 0.02, 0.04, 1 } } } },
  words = { components = { transform = {}, text = { size = 17, align = "center", colour = "#93a4cc", layer = 20 } } },

  ground = { components = { transform = { x = 640, y = 642 },
    shape = { kind = "rect", width = 1280, height = 24, colour = "#16223a", layer = 5 } },
    children = { basin = { components = { transform = { x = -410, y = -287 },
      shape = { kind = "rect", width = 440, height = 6, colour = "#2b5a86", layer = 5 } } } } },

  -- Drops fall back to the basin, bounce two or three times and come to rest.
  fountain = { components = { transform = { x = 230, y = 346 },
    emitter = { rate = 260, life = 3.2, life_vary = 0.2, angle = UP, spread = 0.5, speed = 430, speed_vary = 0.12,
      gravity_y = 620, size = 4, size_vary = 0.5, stretch = 0.02, blend = "add", layer = 4,
      colours = { "#ffffff", "#7fd0ff", "#3a7cff", "#2040a000" } },
    emitter_forces = { walls = "floor", bottom = 352, bounce = 0.42, slide = 0.6 } } },

  whirl = { components = { transform = { x = 640, y = 205 },
    emitter = { rate = 420, life = 3.4, life_vary = 0.25, shape = "ring", radius = 160, speed = 18, size = 3.4,
      sizes = { 0.3, 1, 1.2, 0.4 }, blend = "add", layer = 3,
      colours = { "#40208000", "#8048ff", "#ff5ab0", "#ffe6a0", "#ffffff00" } },
    emitter_forces = { pull = 0.75, swirl = 2.4 } },
    children = { core = { components = { transform = {}, emitter = { rate = 5, life = 1, life_vary = 0, speed = 0,
      size = 120, soft = 1, blend = "add", colours = { "#ff90d000", "#ffb0d050", "#ff90d000" } } } } } },

  box = {
    components = { transform = { x = 1050, y = 205 },
      emitter = { rate = 7, life = 12, ahead = 12, speed = 210, speed_vary = 0.5, size = 15, size_vary = 0.5,
        sizes = { 0, 1, 1, 1, 1, 1, 0 }, colour_vary = 0.4, layer = 3,
        colours = { "#ffd060", "#ff8050", "#f050a0", "#9060ff" } },
      emitter_forces = { walls = "box", left = 900, top = 70, right = 1200, bottom = 340 } },
    children = { frame = { components = { transform = {}, shape = { kind = "rect", width = 306, height = 276,
      filled = false, thickness = 4, colour = "#31486e", layer = 4 } } } },
  },

  -- Seeds rise slightly and drift with the wind.
  meadow = { components = { transform = { x = 640, y = 600 }, wind = {},
    emitter = { rate = 70, ahead = 6, life = 6, shape = "rect", width = 1500, height = 40, angle = UP, spread = 1,
      speed = 160, speed_vary = 0.7, sway = 14, spin = 3, size = 5, size_vary = 0.6, sizes = { 0, 1, 1, 0 }, layer = 6,
      colours = { "#e8f4d000", "#e8f4d0", "#cfe0b8", "#b8d0a000" } },
    emitter_forces = { drag = 1.6, wind_x = 120, wind_y = -14 } } },

  rubble = { components = { transform = {}, lifetime = 4,
    emitter = { rate = 0, burst = 60, finish = "stay", life = 3.5, life_vary = 0.3, speed = 330, speed_vary = 0.8,
      gravity_y = 900, size = 8, size_vary = 0.7, sizes = { 1, 1, 1, 0 }, spin = 9, colour_vary = 0.3, layer = 7,
      colours = { "#ffe0a0", "#c08050", "#806050" } },
    emitter_forces = { preset = "rubble", bottom = 630 } } },
}

-- A preset sets the fields of an emitter. Fields listed next to `preset` override its values.
local ground = "-660,-40 -520,-70 -330,-74 -120,-40 120,-26 330,-44 480,-30 660,-60 660,120 -660,120"

local function log(angle)
  return { components = { transform = { y = 8, angle = angle },
    shape = { kind = "rect", width = 62, height = 11, colour = "#2c1a14", layer = 1 } } }
end

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.5, background = { 0.012, 0.018, 0.045, 1 } } } },
  hill = { components = { transform = {},
    shape = { kind = "polygon", points = ground, colour = "#0c1220" } } },

  -- Particles that do not move, and live for ten minutes.
  stars = { components = { transform = {}, emitter = { rate = 0, burst = 170, life = 600, life_vary = 0, speed = 0,
    shape = "rect", width = 1280, height = 520, size = 1.4, size_vary = 0.7, colour_vary = 0.8,
    colour = "#93a5d8", layer = -10 } } },

  camp = {
    components = { transform = {}, emitter = { preset = "fire", rate = 90, radius = 18, size = 46, speed = 105,
      layer = 2 } },
    children = {
      left = log(0.35), right = log(-0.35),
      smoke = { components = { transform = { y = -70 }, emitter = { preset = "smoke", angle = -1.35, layer = 1 } } },
      embers = { components = { transform = { y = -20 }, emitter = { preset = "sparks", rate = 9, life = 2.2,
        spread = 0.9, speed = 120, gravity_x = 14, gravity_y = -20, sway = 16, size = 2.5, stretch = 0.01,
        layer = 3 } } },
    },
  },

  crystal = {
    components = { transform = {}, emitter = { preset = "magic", radius = 64, rate = 80, layer = 3 },
      shape = { kind = "polygon", points = "0,-46 20,-8 0,46 -20,-8", colour = { 0.35, 0.75, 1.2, 0.9 }, layer = 2 } },
    children = {
      glow = { components = { transform = {}, emitter = { rate = 3, life = 1.6, life_vary = 0, speed = 0, size = 230,
        size_vary = 0, soft = 1, blend = "add", colours = { "#3060ff00", "#5070ff28", "#3060ff00" }, layer = 1 } } },
      ground = { components = { transform = { y = 62 }, emitter = { rate = 12, life = 2, shape = "rect", width = 150,
        height = 6, angle = -math.pi / 2, spread = 0.2, speed = 40, size = 3, soft = 0.8, blend = "add",
        colours = { "#80d0ff00", "#80d0ff", "#8060ff00" }, layer = 3 } } },
    },
  },

  comet = { components = { transform = {}, comet = {},
    emitter = { preset = "trail", rate = 160, life = 1.3, size = 26, speed = 9, layer = -5 },
    shape = { kind = "circle", radius = 6, colour = { 1.6, 1.9, 2.2, 1 }, layer = -4 } },
    children = {
      flakes = { components = { transform = {}, emitter = { preset = "sparks", rate = 45, life = 1.4, spread = 6.28,
        speed = 40, gravity_y = 60, size = 2, inherit = 0.25, stretch = 0,
        colours = { "#e0f4ff", "#60a8ff", "#3050ff00" }, layer = -5 } } },
    } },

  ball = { components = { transform = {}, ball = {},
    shape = { kind = "circle", radius = 15, colour = "#ff9a4a", layer = 4 } } },
  puff = { components = { transform = {}, emitter = { preset = "dust", finish = "destroy", width = 30, layer = 5,
    burst = 18, speed = 70, colours = { "#8fa0c890", "#8fa0c850", "#8fa0c800" } } } },

  snow = { components = { transform = {}, emitter = { preset = "snow", rate = 34, layer = 9 } } },

  -- Because of `finish`, the entities of explosions and fireworks are destroyed after their last particle.
  explosion = { components = { transform = {}, emitter = { preset = "explosion", layer = 6 } },
    children = { rest = { components = { transform = {}, emitter = { preset = "smoke", rate = 0, burst = 16,
      finish = "destroy", outward = true, spread = 1, speed = 60, layer = 5 } } } } },
  firework = { components = { transform = {}, emitter = { rate = 0, burst = 130, finish = "destroy", life = 1.5,
    life_vary = 0.35, outward = true, spread = 0, speed = 230, speed_vary = 0.55, speeds = { 1, 0.4, 0.15, 0.05 },
    gravity_y = 46, size = 4, sizes = { 1, 1, 0.4 }, stretch = 0.035, blend = "add", layer = -3 } },
    children = { flash = { components = { transform = {}, emitter = { rate = 0, burst = 1, finish = "destroy",
      life = 0.35, speed = 0, size = 190, sizes = { 0.5, 1 }, soft = 1, blend = "add",
      colours = { "#ffffffa0", "#8090ff00" }, layer = -4 } } } } },
}

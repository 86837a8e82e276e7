return {
  wanderer = { components = { transform = { x = 240, y = 330 }, wanderer = {}, name = "wanderer",
    shape = { radius = 13, colour = "#ffe9b0", layer = 3 } } },
  hunter = { components = { transform = { x = 1060, y = 200 }, hunter = {},
    shape = { kind = "polygon", points = "22 0 -16 -16 -9 0 -16 16", colour = { 1.3, 0.16, 0.13, 1 }, layer = 3 },
    emitter = { preset = "trail", size = 14, rate = 40, colour = { 0.9, 0.12, 0.1, 0.5 }, layer = 2 } } },
  star = { components = { transform = {}, star = {},
    shape = { kind = "polygon", layer = 3, points = "0 -11 3 -3 11 0 3 3 0 11 -3 3 -11 0 -3 -3",
      colour = { 1.2, 1.1, 0.6, 1 } } } },
  gleam = { components = { transform = {}, emitter = { preset = "magic", burst = 24, rate = 0, duration = 0.1,
    finish = "destroy", colour = "#fff1a0", layer = 4 } } },
}

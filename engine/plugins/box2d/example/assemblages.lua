return {
  eye = { components = { transform = { x = 480, y = 270 },
    camera = { bloom = 0.25, background = { 0.05, 0.06, 0.1, 1 } } } },
  floor = { components = { transform = { x = 480, y = 516 },
    box2d_body = { kind = "static", width = 960, height = 48, friction = 0.8 },
    shape = { kind = "rect", width = 960, height = 48, colour = { 0.14, 0.17, 0.26, 1 } } } },
  crate = { components = { transform = {}, box2d_body = { width = 40, height = 40, friction = 0.6 },
    shape = { kind = "rect", width = 39, height = 39 } } },
  ball = { components = { transform = {}, lifetime = { seconds = 9 },
    box2d_body = { form = "circle", radius = 17, density = 3, bounce = 0.3 },
    shape = { radius = 17, colour = { 0.55, 0.8, 1, 1 } } } },
}

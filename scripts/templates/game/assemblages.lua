return {
  ball = { components = { ball = {}, transform = { x = 640, y = 360 },
    shape = { radius = 12, colour = { 1, 0.6, 0.2, 1 } } } },
}

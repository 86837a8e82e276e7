return {
  orbit = { radius = 3, speed = 1, phase = 0, lean = 0, bob = 0, heading = shoal.types.bool(false) },
  spin = { x = 0, y = 1, z = 0, speed = 0.2, angle = 0 },
  rocket = {},
  view = { turn = 0.4, height = 0.34, distance = 9.5, mouse_x = 0, mouse_y = 0 },
}

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.7, background = { 0.012, 0.014, 0.028, 1 } } } },
  bank = {
    components = { transform = {}, collider = { kind = "box", width = 180, height = 120, friction = 0.9 },
      shape = { kind = "rect", width = 180, height = 120, colour = { 0.09, 0.12, 0.18, 1 } } },
  },
  peg = {
    components = { transform = {}, collider = { radius = 9, bounce = 0.6 },
      shape = { radius = 9, colour = { 0.3, 0.36, 0.5, 1 } } },
  },

  -- A kinematic body pushes everything in its way and is not pushed itself. The second blade is a child without a body,
  -- so its collider belongs to the body of its parent.
  mill = {
    components = { transform = {}, rigid_body = { kind = "kinematic" },
      collider = { kind = "box", width = 230, height = 16, corner = 4 },
      shape = { kind = "rect", width = 238, height = 24, colour = { 0.2, 0.26, 0.4, 1 } } },
    children = {
      blade = { components = { transform = { angle = 1.5708 },
        collider = { kind = "box", width = 230, height = 16, corner = 4 },
        shape = { kind = "rect", width = 238, height = 24, colour = { 0.2, 0.26, 0.4, 1 } } } },
    },
  },
  plank = {
    components = { transform = {}, rigid_body = { mass = 3, damping = 0.3 },
      collider = { kind = "box", height = 10, friction = 0.8 },
      shape = { kind = "rect", height = 10, colour = { 0.5, 0.34, 0.2, 1 } } },
  },
  chain = { components = { joint = { kind = "pivot" } } },

  pebble = { components = { transform = {}, rigid_body = { mass = 0.3 }, pebble = {}, glow = {} } },
  ball = { is = "pebble", components = { collider = { radius = 11, bounce = 0.35 }, shape = { radius = 11 } } },
  brick = {
    is = "pebble",
    components = { collider = { kind = "box", width = 24, height = 17 },
      shape = { kind = "rect", width = 24, height = 17 } },
  },
  shard = {
    is = "pebble",
    components = {
      collider = { kind = "polygon", points = "-13,9 13,9 0,-15" },
      shape = { kind = "polygon", points = "-13,9 13,9 0,-15" },
    },
  },
}

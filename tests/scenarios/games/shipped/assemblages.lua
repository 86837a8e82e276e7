return {
  wall = { components = { transform = {}, collider = { kind = "box", width = 400, height = 20 } } },
  ball = { components = { transform = {}, rigid_body = {}, collider = { radius = 10 } } },
}

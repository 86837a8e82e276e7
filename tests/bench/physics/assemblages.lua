return {
  wall = { components = { transform = {}, collider = { kind = "box" } } },
  ball = { components = { transform = {}, rigid_body = {}, collider = {} } },
  box = { components = { transform = {}, rigid_body = {}, collider = { kind = "box" } } },
}

return {
  platform = { components = { transform = {}, body = { kind = "box", category = 1 } } },
  hero = { components = { transform = {}, body = { kind = "box", category = 2 }, mover = {}, hero = {} } },
}

return {
  hero = { components = { transform = {}, body = { kind = "box", width = 10, height = 16 }, mover = {}, hero = {} } },
}

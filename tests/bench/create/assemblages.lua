return {
  thing = { components = { position = {}, velocity = { x = 1, y = 2 } } },
  body = { components = { position = {}, velocity = { x = 1, y = 2 }, spin = {}, paint = {} } },
}

return {
  thing = { components = { position = {}, velocity = {}, data = {} } },
  cell = { components = { cell = {} } },
}

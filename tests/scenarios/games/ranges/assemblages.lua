return {
  thing = { components = { stat = {}, source = {}, transform = {} } },
  extreme = { components = { stat = { i = 1000, f = 1 / 0, v = { 5, -5 } }, slot = { a = { u = 200 } } } },
}

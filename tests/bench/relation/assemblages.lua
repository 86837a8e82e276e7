return {
  target = { components = { aimed = {} } },
  source = { components = { weight = {}, uncounted = {}, counted = {} } },
}

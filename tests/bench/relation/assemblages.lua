return {
  target = { components = { aimed = {} } },
  source = { components = { weight = {}, beside = {}, asked = {} } },
}

return {
  unit = { components = { transform = {}, motion = {}, body = { radius = 4, mask = 0 } } },
}

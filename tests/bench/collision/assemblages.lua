return {
  ship = { components = { transform = {}, body = { radius = 16, category = 1, mask = 2 } } },
  bullet = { components = { transform = {}, motion = {}, body = { radius = 4, category = 2, mask = 1 } } },
}

return {
  creep = {
    components = { transform = {}, creep = {}, health = {}, body = { radius = 6, category = "creep", mask = 0 } },
  },
  tower = { components = { transform = {}, tower = {} } },
}

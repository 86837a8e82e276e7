return {
  thing = { components = { small = {}, transform = {} } },
  rich = {
    components = { whole = {}, arm = { left = {}, right = { heat = 2 } }, transform = {}, shape = { kind = "polygon",
      points = { 0, 0, 4, 0, 2, 3 } } },
    children = { part = { components = { other = {} } } },
    states = { initial = "calm", calm = { tag = {} }, angry = { other = { v = 3 } } },
  },
  acting = { components = { act = {}, small = {} } },
}

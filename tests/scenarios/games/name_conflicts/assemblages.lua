return {
  all = {
    components = {
      transform = {}, shape = {}, body = {}, hp = {}, animation = {}, follow = {}, in_sequence = {}, label = {},
      map_object = {}, material = {}, mover = {}, path = { cells = "a" }, saying = {}, sensor = {}, shaken = {},
      sound_listener = {}, sound_space = {}, swept = {}, text_style = {}, tilemap = {}, timer = {}, tween = {},
      viewport = {}, y_sort = {},
    },
  },
  menu = { components = { panel = {} }, children = { { ["shoal.label"] = { text = "Shoal's" } } } },
}

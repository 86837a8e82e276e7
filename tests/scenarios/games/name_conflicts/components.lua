return {
  animation = { frame = 1 }, follow = { whom = 0 }, in_sequence = { n = 1 }, label = { text = "mine" },
  map_object = { k = 3 }, material = { name = "wood" }, mover = { speed = 2 }, path = { cells = "" },
  saying = { loud = true }, sensor = { hit = false }, shaken = { by = 1 }, sound_listener = { b = 1 },
  sound_space = { a = 1 }, swept = { brush = 1 }, text_style = { bold = true }, tilemap = { seed = 7 },
  timer = { left = 3 }, tween = { halfway = 0.5 }, viewport = { w = 9 }, y_sort = { on = true },
  hp = { value = 0 },
}

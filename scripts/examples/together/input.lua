return { -- actions and their keys, buttons and axes
  x = { axis = "pad:leftx", negative = { "key:left", "key2:a" }, positive = { "key:right", "key2:d" } },
  y = { axis = "pad:lefty", negative = { "key:up", "key2:w" }, positive = { "key:down", "key2:s" } },
}

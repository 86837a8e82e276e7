return { -- actions and their keys, buttons and axes
  x = { axis = "pad:leftx", negative = { "key:left", "key:a" }, positive = { "key:right", "key:d" } },
  y = { axis = "pad:lefty", negative = { "key:up", "key:w" }, positive = { "key:down", "key:s" } },
}

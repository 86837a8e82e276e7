-- Actions and their bindings.
return {
  go_x = { axis = "pad:leftx", negative = { "key:left", "key:a", "pad:dpleft" },
    positive = { "key:right", "key:d", "pad:dpright" } },
  go_y = { axis = "pad:lefty", negative = { "key:up", "key:w", "pad:dpup" },
    positive = { "key:down", "key:s", "pad:dpdown" } },
  use = { "key:space", "key:j", "pad:a" },
  back = { "key:x", "key:k", "pad:b" },
  start = { "key:space", "key:return", "pad:a", "pad:start", hidden = true },
}

-- Actions and their bindings. `key2` bindings belong to the second player; a single player can use both.
return {
  go_x = { axis = "pad:leftx", negative = { "key:a", "key2:left", "pad:dpleft" },
    positive = { "key:d", "key2:right", "pad:dpright" } },
  go_y = { axis = "pad:lefty", negative = { "key:w", "key2:up", "pad:dpup" },
    positive = { "key:s", "key2:down", "pad:dpdown" } },
  use = { "key:space", "key2:return", "pad:a" },
  back = { "key:x", "key2:backspace", "pad:b" },
  start = { "key:space", "key:return", "pad:a", "pad:start", hidden = true },
}

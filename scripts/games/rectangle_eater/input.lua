-- Actions and their bindings. A single player can use the keys of both players.
return {
  go_x = { axis = "pad:leftx", negative = { "key:a", "key2:left", "pad:dpleft" },
    positive = { "key:d", "key2:right", "pad:dpright" } },
  go_y = { axis = "pad:lefty", negative = { "key:w", "key2:up", "pad:dpup" },
    positive = { "key:s", "key2:down", "pad:dpdown" } },
  skip = { "key:space", "key:return", "key:esc", "mouse:left", "pad:a", "pad:start", hidden = true },
}

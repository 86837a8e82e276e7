return {
  go_x = { negative = { "key:left", "key:a", "pad:dpleft" }, positive = { "key:right", "key:d", "pad:dpright" } },
  go_y = { negative = { "key:up", "key:w", "pad:dpup" }, positive = { "key:down", "key:s", "pad:dpdown" } },
  plant = { "key:space", "pad:a" },
}

return {
  left = { "key:left", "key:a", "pad:dpleft" },
  right = { "key:right", "key:d", "pad:dpright" },
  up = { "key:up", "key:w", "pad:dpup" },
  down = { "key:down", "key:s", "pad:dpdown" },
  drag = { "mouse:left" },
}

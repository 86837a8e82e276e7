return {
  left = { "key:left", "key:a", "pad:dpleft" },
  right = { "key:right", "key:d", "pad:dpright" },
  jump = { "key:space", "key:up", "key:w", "pad:a" },
}

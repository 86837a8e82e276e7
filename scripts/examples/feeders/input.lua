return {
  steer = { axis = "pad:leftx", negative = { "key:left", "key:a" }, positive = { "key:right", "key:d" } },
  go = { "key:up", "key:w", "pad:a" },
  pass = { "key:space", "pad:y" },
}

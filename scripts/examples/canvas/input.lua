return {
  steer = { axis = "pad:leftx", negative = { "key:left", "key:a" }, positive = { "key:right", "key:d" } },
}

return {
  fire = { "key:space", "pad:a", "mouse:left" },
  aim = { axis = "pad:rightx" },
  turn = { axis = "pad:leftx", negative = { "key:left", "key:a" }, positive = "key:right" },
  zoom = "wheel:up",
  nothing = {},
}

-- Actions and their bindings.
return {
  move = { axis = "pad:leftx", negative = { "key:left", "key:a", "pad:dpleft" },
    positive = { "key:right", "key:d", "pad:dpright" } },
  fire = { "key:space", "key:up", "key:w", "pad:a", "pad:x", "pad:righttrigger+", held = true },
  skip = { "key:space", "key:return", "key:esc", "mouse:left", "pad:a", "pad:start", hidden = true },
}

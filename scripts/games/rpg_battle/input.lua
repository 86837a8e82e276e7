-- Actions and their bindings.
return {
  next = { "key:right", "key:d", "key:tab", "pad:rb", "pad:dpright" },
  last = { "key:left", "key:a", "pad:lb", "pad:dpleft" }, point = "mouse:left", hold = { "key:space", "pad:a" },
  retreat = { "key:r", "pad:y" },
  skip = { "key:space", "key:return", "key:esc", "mouse:left", "pad:a", "pad:start", hidden = true },
}

-- `key` bindings belong to the first player, `key2` bindings to the second; a single player can use both.
return {
  up = { "key:w", "key2:up", "pad:dpup", "pad:lefty-" },
  down = { "key:s", "key2:down", "pad:dpdown", "pad:lefty+" },
  left = { "key:a", "key2:left", "pad:dpleft", "pad:leftx-" },
  right = { "key:d", "key2:right", "pad:dpright", "pad:leftx+" },
  boost = { "key:space", "key:left shift", "key2:right shift", "key2:right ctrl", "pad:a", "pad:righttrigger+",
    held = true },
  skip = { "key:space", "key:return", "key:esc", "mouse:left", "pad:a", "pad:start", hidden = true },
}

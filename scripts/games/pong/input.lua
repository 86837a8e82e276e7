-- Actions and their bindings. `key` bindings belong to the first player, `key2` bindings to the second; a single player
-- can use both.
return {
  move = { axis = "pad:lefty", negative = { "key:w", "key2:up", "pad:dpup" },
    positive = { "key:s", "key2:down", "pad:dpdown" } },
  skip = { "key:space", "key:return", "key:esc", "mouse:left", "pad:a", "pad:start", hidden = true },
}

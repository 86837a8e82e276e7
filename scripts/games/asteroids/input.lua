-- Actions and their bindings. `key` bindings belong to the first player, `key2` bindings to the second; a single player
-- can use both.
return {
  turn = { axis = "pad:leftx" },
  left = { "key2:left", "key:a", "pad:dpleft" },
  right = { "key2:right", "key:d", "pad:dpright" },
  thrust = { "key2:up", "key:w", "pad:b", "pad:dpup", "pad:righttrigger+", held = true },
  fire = { "key:space", "key:left ctrl", "key2:return", "key2:right ctrl", "pad:a", "pad:x", held = true },
  warp = { "key2:down", "key:s", "key:left shift", "key2:right shift", "pad:y", "pad:leftshoulder" },
  start = { "key:space", "key:return", "pad:a", "pad:start", hidden = true },
  pause = { "key:p", "key:escape", "pad:start" },
  back = { "key:escape", "pad:b", hidden = true },
}

-- Actions and their bindings.
return {
  turn = { axis = "pad:leftx" },
  left = { "key:left", "key:a", "pad:dpleft" },
  right = { "key:right", "key:d", "pad:dpright" },
  thrust = { "key:up", "key:w", "pad:b", "pad:dpup", "pad:righttrigger+" },
  fire = { "key:space", "key:left ctrl", "pad:a", "pad:x" },
  warp = { "key:down", "key:s", "key:left shift", "pad:y", "pad:leftshoulder" },
  start = { "key:space", "key:return", "pad:a", "pad:start" },
  pause = { "key:p", "key:escape", "pad:start" },
  back = { "key:escape", "pad:b" },
}

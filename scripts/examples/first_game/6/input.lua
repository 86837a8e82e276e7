-- Actions and their bindings: keys and gamepad axes. The code refers to actions by name only.
return {
  x = { axis = "pad:leftx", negative = { "key:left", "key:a" }, positive = { "key:right", "key:d" } },
  pause = { "key:p", "key:escape", "pad:start", presses = "go_on" }, -- opens the menu, and closes it with "Go on"
  y = { axis = "pad:lefty", negative = { "key:up", "key:w" }, positive = { "key:down", "key:s" } },
}

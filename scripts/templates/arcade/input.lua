-- Actions and their bindings. The code refers to actions by name only.
return {
  x = { axis = "pad:leftx", negative = { "key:left", "key:a" }, positive = { "key:right", "key:d" } },
  fire = { "key:space", "mouse:left", "pad:a" },
}

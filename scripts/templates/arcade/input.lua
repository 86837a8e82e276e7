-- Actions and their bindings. The code uses only the names of the actions.
return {
  x = { axis = "pad:leftx", negative = { "key:left", "key:a" }, positive = { "key:right", "key:d" } },
  fire = { "key:space", "mouse:left", "pad:a" },
}

-- Actions, and what they are done with; the code knows the names alone.
return {
  x = { axis = "pad:leftx", negative = { "key:left", "key:a" }, positive = { "key:right", "key:d" } },
  jump = { "key:space", "key:up", "key:w", "pad:a" },
}

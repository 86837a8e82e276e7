return {
  run = { axis = "pad:leftx", negative = { "key:left", "key:a" }, positive = { "key:right", "key:d" } },
  jump = { "key:space", "pad:a" },
  dash = { "key:left shift", "pad:x" },
  menu = { "key:tab", "pad:start" },
}

return {
  light = { "mouse:left", "pad:a" },
  day = { "key:space", "pad:x" },
}

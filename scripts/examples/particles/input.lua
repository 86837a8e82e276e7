return {
  bang = { "mouse:left", "pad:a" },
  snow = { "key:space", "pad:x" },
}

return {
  speak = { "key:space", "pad:a" },
  louder = { "key:up", "pad:up" },
  softer = { "key:down", "pad:down" },
  stone = { "mouse:left" },
}

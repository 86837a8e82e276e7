return {
  walk = { x = 0, y = 0, speed = 20, doc = "where to, and how fast in pixels a second" },
  intent = { x = 0, y = 0, plant = false, doc = "what the keys say" },
  wander = { speed = 16, left = 0, doc = "seconds until it thinks again" },
}

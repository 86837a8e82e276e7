return {
  wander = { phase = 0 },
  dark = { left = 3 },
  lit = { level = 0 },       -- how bright
  glowing = { left = 1.2 },  -- getting brighter
  fading = { speed = 0.9 },  -- getting darker
}

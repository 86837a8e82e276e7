return {
  wander = { phase = 0 },
  dark = { left = 3 },
  lit = { level = 0 },       -- level: brightness
  glowing = { left = 1.2 },  -- left: seconds until it starts to fade
  fading = { speed = 0.9 },  -- speed: loss of brightness per second
}

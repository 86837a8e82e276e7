return {
  sail = { speed = 60, wind = 1 },              -- speed in pixels per second; wind: direction when nobody steers
  float = { phase = 0, at = 0, height = 1.5 },  -- bobs on the water
  glint = { phase = 0 },
  turn = {},                                    -- the beam of the lighthouse
}

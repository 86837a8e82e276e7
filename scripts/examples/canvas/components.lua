return {
  sail = { speed = 60, wind = 1 },              -- speed: pixels per second; wind: direction without input
  float = { phase = 0, at = 0, height = 1.5 },  -- a thing that bobs on the water
  glint = { phase = 0 },
  turn = {},                                    -- the beam of the lighthouse
}

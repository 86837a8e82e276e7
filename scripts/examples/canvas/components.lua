return {
  sail = { speed = 60, wind = 1 },              -- speed: pixels per second; wind: direction without input
  float = { phase = 0, at = 0, height = 1.5 },  -- bobs on the water; at: mean y; height: amplitude in pixels
  glint = { phase = 0 },
  turn = {},                                    -- tag of the lighthouse's beam, which rotates
}

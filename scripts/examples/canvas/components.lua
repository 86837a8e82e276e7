return {
  sail = { speed = 60, wind = 1 },              -- pixels a second; where the wind takes it when nobody steers
  float = { phase = 0, at = 0, height = 1.5 },  -- up and down on the water
  glint = { phase = 0 },
  turn = {},                                    -- the beam of the lighthouse
}

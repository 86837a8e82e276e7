return {
  walk = { along = 0 },            -- where on his round the watchman is
  swing = { angle = 0 },           -- of the lamp
  drift = { turn = 0, pace = 1 },  -- of a glow-worm
}

return {
  walk = { along = 0 },            -- angle of the watchman on his round
  swing = { angle = 0 },           -- the lamp
  drift = { turn = 0, pace = 1 },  -- glow-worms
}

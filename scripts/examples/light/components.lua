return {
  walk = { along = 0 }, -- the watchman; along: angle of his position on his round
  swing = { angle = 0 },           -- the lamp; angle: current angle of the swing
  drift = { turn = 0, pace = 1 },  -- glow-worms; turn: direction of flight; pace: speed factor
}

-- English strings, including the names on the options screen.
return {
  title = { keys = "Move: {move}     Fire: {fire}     Pause: {pause}" },
  wave = "Wave {n}", mother_ship = "The mother ship", fleet_gone = "The fleet is gone",
  score = "Score {n}", score_times = "Score {n}   x{times}", times = "x{n}",
  over = {
    score = "Score {n}", score_and_best = "Score {n}     Best {best}",
    new_best = "New best: {n}     Best before {best}",
  },
  powerups = { triple = "Triple shot", rapid = "Rapid fire", shield = "Shield", boss = "Extra cannon" },
  letters = { triple = "T", rapid = "R", shield = "S" },
  actions = {
    move = { negative = "Move left", positive = "Move right", axis = "Move left, right" },
    fire = "Fire",
  },
}

-- English strings, including the names on the options screen.
return {
  title = {
    longest = "Longest rally: {n}",
    rules = "First to 7 goals. Where the ball hits your paddle decides its angle: aim at the star.",
    keys = "Move: {move}     Pause: {pause}",
  },
  rally = "Rally {n}", best_rally = "Rally {n}  the best!",
  star = "Send the ball through the star: your next hit is a smash",
  smash = "Smash!", smash_next = "Smash next!",
  ghost = "path of the previous ball",
  names = { blue = "Blue", pink = "Pink" },
  over = {
    wins = "{name} wins", you_win = "You win!", you_lose = "You lose",
    longest = "Longest rally {n}     Best {best}", new_best = "Longest rally {n}: new best!",
  },
  settings = { opponent = "Opponent" },
  choices = { normal = "Normal", hard = "Hard", easy = "Easy" },
  actions = {
    move = { negative = "Move up", positive = "Move down", axis = "Move up, down" },
  },
}

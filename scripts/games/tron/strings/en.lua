-- English strings, including the names on the options screen.
return {
  title = {
    keys = "Steer: {steer}     Boost: {boost}     Pause: {pause}",
    rules = "Ride close to walls to go faster, charge your boost and score up to 9 times as much.",
  },
  gems = { charge = "fills your boost", breach = "breaks the next wall", purge = "removes your walls" },
  taken = { charge = "Boost is full", breach = "Breaks a wall", purge = "Your walls are gone" },
  names = { ice = "Ice", ember = "Ember", viper = "Viper", orchid = "Orchid" },
  wins = "{name}  {n}",
  level_lives = "Level {level}     Lives {lives}",
  level = "Level {n}", round = "Round {n}", go = "Go!",
  cleared = "Level cleared", crashed = "Crashed", nobody = "Nobody is left",
  takes_round = "{name} takes the round", wins_match = "{name} wins the match",
  settings = { engines = "Engines", rivals = "Rivals", two_players = "Two players" },
  choices = { normal = "Normal", hard = "Hard", easy = "Easy", shared = "Shared", split = "Split" },
  actions = {
    up = "Turn up", down = "Turn down", left = "Turn left", right = "Turn right", boost = "Boost",
  },
}

-- German strings, including the names on the options screen.
return {
  title = {
    keys = "Lenken: {steer}     Turbo: {boost}     Pause: {pause}",
    rules = "Nah an Wänden fährst du schneller, lädst den Turbo auf und bekommst bis zu 9-mal so viele Punkte.",
  },
  gems = { charge = "füllt den Turbo", breach = "bricht die nächste Wand", purge = "entfernt deine Wände" },
  taken = { charge = "Turbo ist voll", breach = "Bricht eine Wand", purge = "Deine Wände sind weg" },
  names = { ice = "Eis", ember = "Glut", viper = "Viper", orchid = "Orchidee" },
  wins = "{name}  {n}",
  level_lives = "Level {level}     Leben {lives}",
  level = "Level {n}", round = "Runde {n}", go = "Los!",
  cleared = "Level geschafft", crashed = "Unfall", nobody = "Alle sind raus",
  takes_round = "{name} gewinnt die Runde", wins_match = "{name} gewinnt das Match",
  settings = { engines = "Motoren", rivals = "Gegner", two_players = "Zwei Spieler" },
  choices = { normal = "Normal", hard = "Schwer", easy = "Leicht", shared = "Ein Bild", split = "Geteiltes Bild" },
  actions = {
    up = "Nach oben", down = "Nach unten", left = "Nach links", right = "Nach rechts", boost = "Turbo",
  },
}

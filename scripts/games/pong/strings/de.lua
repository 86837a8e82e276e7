-- German strings, including the names on the options screen.
return {
  title = {
    longest = "Längster Ballwechsel: {n}",
    rules = "Wer zuerst 7 Tore hat, gewinnt. Die Stelle am Schläger bestimmt den Winkel des Balls: Triff den Stern.",
    keys = "Bewegen: {move}     Pause: {pause}",
  },
  rally = "Ballwechsel: {n}", best_rally = "Ballwechsel: {n}  der längste!",
  star = "Spiel den Ball durch den Stern: Dein nächster Schlag ist ein Schmetterball",
  smash = "Geschmettert!", smash_next = "Gleich schmettern!",
  ghost = "Bahn des vorigen Balls",
  names = { blue = "Blau", pink = "Pink" },
  over = {
    wins = "{name} gewinnt", you_win = "Gewonnen!", you_lose = "Verloren",
    longest = "Längster Ballwechsel {n}     Rekord {best}", new_best = "Längster Ballwechsel {n}: neuer Rekord!",
  },
  settings = { opponent = "Gegner" },
  choices = { normal = "Normal", hard = "Schwer", easy = "Leicht" },
  actions = {
    move = { negative = "Nach oben", positive = "Nach unten", axis = "Auf und ab" },
  },
}

-- German strings, including the names on the options screen.
return {
  title = { keys = "Bewegen: {move}     Feuern: {fire}     Pause: {pause}" },
  wave = "Welle {n}", mother_ship = "Das Mutterschiff", fleet_gone = "Die Flotte ist besiegt",
  score = "Punkte {n}", score_times = "Punkte {n}   x{times}", times = "x{n}",
  over = {
    score = "Punkte {n}", score_and_best = "Punkte {n}     Rekord {best}",
    new_best = "Neuer Rekord: {n}     Alter Rekord: {best}",
  },
  powerups = { triple = "Dreifachschuss", rapid = "Schnellfeuer", shield = "Schild", boss = "Extrakanone" },
  letters = { triple = "D", rapid = "F", shield = "S" },
  actions = {
    move = { negative = "Nach links", positive = "Nach rechts", axis = "Nach links, rechts" },
    fire = "Feuern",
  },
}

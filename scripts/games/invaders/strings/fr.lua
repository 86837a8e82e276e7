-- French strings, including the names on the options screen.
return {
  title = { keys = "Se déplacer : {move}     Tirer : {fire}     Pause : {pause}" },
  wave = "Vague {n}", mother_ship = "Le vaisseau mère", fleet_gone = "La flotte est détruite",
  score = "Score {n}", score_times = "Score {n}   x{times}", times = "x{n}",
  over = {
    score = "Score {n}", score_and_best = "Score {n}     Record {best}",
    new_best = "Nouveau record : {n}     Ancien record : {best}",
  },
  powerups = { triple = "Tir triple", rapid = "Tir rapide", shield = "Bouclier", boss = "Canon bonus" },
  letters = { triple = "T", rapid = "R", shield = "B" },
  actions = {
    move = { negative = "Aller à gauche", positive = "Aller à droite", axis = "Aller à gauche, à droite" },
    fire = "Tirer",
  },
}

-- French strings, including the names on the options screen.
return {
  title = {
    keys = "Diriger : {steer}     Turbo : {boost}     Pause : {pause}",
    rules = "Longez les murs pour aller plus vite, charger le turbo et marquer jusqu'à 9 fois plus de points.",
  },
  gems = { charge = "remplit le turbo", breach = "brise le prochain mur", purge = "efface vos murs" },
  taken = { charge = "Turbo rempli", breach = "Brise un mur", purge = "Vos murs ont disparu" },
  names = { ice = "Glace", ember = "Braise", viper = "Vipère", orchid = "Orchidée" },
  wins = "{name}  {n}",
  level_lives = "Niveau {level}     Vies {lives}",
  level = "Niveau {n}", round = "Manche {n}", go = "Partez !",
  cleared = "Niveau terminé", crashed = "Accident", nobody = "Plus personne",
  takes_round = "{name} remporte la manche", wins_match = "{name} remporte le match",
  settings = { engines = "Moteurs", rivals = "Rivaux", two_players = "Deux joueurs" },
  choices = { normal = "Normal", hard = "Difficile", easy = "Facile", shared = "Partagé", split = "Divisé" },
  actions = {
    up = "Vers le haut", down = "Vers le bas", left = "Vers la gauche", right = "Vers la droite", boost = "Turbo",
  },
}
